"""Named keys as the DevTools protocol wants them."""

from sandbox.browser.cdp import Params

# key -> (code, virtual key code, text)
_NAMED: dict[str, tuple[str, int, str]] = {
    "Enter": ("Enter", 13, "\r"),
    "Escape": ("Escape", 27, ""),
    "Tab": ("Tab", 9, ""),
    "Backspace": ("Backspace", 8, ""),
    "Delete": ("Delete", 46, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    "PageUp": ("PageUp", 33, ""),
    "PageDown": ("PageDown", 34, ""),
    "Space": ("Space", 32, " "),
    " ": ("Space", 32, " "),
}


def strokes(key: str) -> list[Params]:
    """Down and up of one key, as parameters of Input.dispatchKeyEvent; [] for a key that does nothing here."""
    if key in _NAMED:
        code, number, text = _NAMED[key]
        name = " " if key == "Space" else key
    elif len(key) == 1:
        code, number, text, name = "", 0, key, key
    else:
        return []
    common: Params = {"key": name, "code": code, "windowsVirtualKeyCode": number, "nativeVirtualKeyCode": number}
    down: Params = {"type": "keyDown" if text else "rawKeyDown", **common}
    if text:
        down |= {"text": text, "unmodifiedText": text}
    return [down, {"type": "keyUp", **common}]
