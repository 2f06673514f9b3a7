"""Virtual environments for peers under the user's cache folder, which borrow our packages: the same torch for all."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

SB3 = ("stable-baselines3==2.9.2", "sb3-contrib==2.9.2", "cloudpickle==3.1.2")


def python(*packages: str) -> Path:
    """The interpreter of an environment with these packages besides ours; it is made where there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "belay" / "benchmarks" / f"{packages[0]}-borrowing"
    found = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"installing {', '.join(packages)} into {folder}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run(
            [str(found), "-m", "pip", "install", "--quiet", "--no-deps", *packages], check=True, stdout=sys.stderr
        )
        (folder / "complete").touch()
    site = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    (site / "borrowed.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n")
    return found
