"""What an observation holds: all that a person could see and use, under the name they would give it."""
# ruff: noqa: E501  # a page reads best on one line

from collections.abc import Awaitable, Callable

import pytest

from sandbox.browser.page import Page
from sandbox.contracts.actions import Click, Type
from tests.sandbox.browser.conftest import named, names
from tests.sandbox.browser.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="session")
Show = Callable[[str], Awaitable[Page]]


@pytest.mark.parametrize(
    ("html", "role", "name"),
    [
        ("<label for=a>Size *</label><input id=a>", "textbox", "Size"),
        ("<label>Unit <select><option>GB</select></label>", "combobox", "Unit"),
        ("<input aria-label='By label'>", "textbox", "By label"),
        ("<span id=x>By id</span><input aria-labelledby=x>", "textbox", "By id"),
        ("<input placeholder='By placeholder'>", "textbox", "By placeholder"),
        ("<input name=bucketName>", "textbox", "bucket name"),
        ("<button><img alt='By image' width=9 height=9></button>", "button", "By image"),
        ("<button title=Delete><i class='fas fa-trash'></i></button>", "button", "Delete"),
        ("<button style='padding:5px'><i class='fas fa-trash'></i></button>", "button", "trash"),
        ("<button style='padding:5px' data-action=delete data-row=one></button>", "button", "action delete row one"),
        ("<input type=submit value=Send>", "button", "Send"),
        ("<div role=tab tabindex=0>Rules</div>", "tab", "Rules"),
        ("<div onclick='1'>Loose</div>", "button", "Loose"),
        ("<div style='cursor:pointer'>Pointer</div>", "button", "Pointer"),
        ("<input type=number aria-label=Count>", "spinbutton", "Count"),
        ("<div contenteditable aria-label=Rich>x</div>", "textbox", "Rich"),
        ("<details><summary>More</summary>x</details>", "button", "More"),
    ],
)
async def test_names_and_roles(show: Show, html: str, role: str, name: str) -> None:
    page = await show(html)
    usable = [element for element in (await page.observe()).elements if element.actionable]
    assert [(element.role, element.name) for element in usable] == [(role, name)]


async def test_tables_tell_row_and_column(show: Show) -> None:
    page = await show(
        "<h2>Buckets</h2><table><caption>All buckets</caption><thead><tr><th>Name<th>Size<th>Verbs</tr></thead>"
        "<tr><td>alpha<td>5 MB<td><button>Delete</button></tr><tr><td>beta<td>7 MB<td><button>Delete</button></tr></table>"
    )
    seen = await page.observe()
    rows = [(element.row, element.label, element.group) for element in seen.elements if element.role == "button"]
    assert rows == [("alpha | 5 MB", "Verbs", "All buckets"), ("beta | 7 MB", "Verbs", "All buckets")]
    assert named(seen, "7 MB").label == "Size"


async def test_a_list_of_verbs_inside_a_cell_is_part_of_its_row(show: Show) -> None:
    row = "<tr><td>{0}<td><ul><li><a href='#'>Stop</a><li><a href='#'>Restart</a></ul></tr>"
    page = await show(
        f"<table>{row.format('alpha')}{row.format('beta')}</table><ul><li>gamma <a href='#'>Stop</a></ul>"
    )
    stops = [each for each in (await page.observe()).elements if each.name == "Stop"]
    assert [each.row.split()[0] for each in stops] == ["alpha", "beta", "gamma"]


async def test_states_and_values(show: Show) -> None:
    page = await show(
        "<input aria-label=A value=v required readonly><input aria-label=B disabled><input type=checkbox aria-label=C checked>"
        "<button aria-expanded=true aria-pressed=true>D</button><a href=# aria-current=page>E</a>"
        "<select aria-label=F><option>x<option selected>y</select><input aria-label=G aria-invalid=true autofocus>"
    )
    seen = await page.observe()
    states = {element.name: element.states for element in seen.elements}
    assert states == {
        "A": ("readonly", "required"),
        "B": ("disabled",),
        "C": ("checked",),
        "D": ("expanded", "pressed"),
        "E": ("selected",),
        "F": (),
        "G": ("editable", "focused", "invalid"),
    }
    assert (named(seen, "A").value, named(seen, "F").value, named(seen, "F").options) == ("v", "y", ("x", "y"))


async def test_what_cannot_be_seen_is_left_out(show: Show) -> None:
    page = await show(
        "<button hidden>a</button><button style='display:none'>b</button><button style='visibility:hidden'>c</button>"
        "<button style='opacity:0'>d</button><div inert><button>e</button></div>"
        "<button style='position:absolute;left:-9999px'>f</button><div style='height:0;overflow:hidden'><button>g</button></div>"
        "<button style='padding:0;border:0;width:0;height:0'></button><input type=hidden value=h><button>seen</button>"
    )
    assert names(await page.observe()) == ["seen"]


async def test_a_modal_hides_what_is_behind_it(show: Show) -> None:
    page = await show(
        "<button>Behind</button><p>Text behind</p><div class='modal show' role=dialog aria-modal=true aria-labelledby=t "
        "style='position:fixed;inset:0;background:#0008'><h5 id=t>Delete bucket</h5><button>Confirm</button></div>"
    )
    seen = await page.observe()
    assert seen.dialogs == ("Delete bucket",)
    assert [(element.name, element.region) for element in seen.elements] == [
        ("Delete bucket", "dialog"),
        ("Confirm", "dialog"),
    ]


async def test_a_native_modal_is_a_dialog(show: Show) -> None:
    page = await show(
        "<button>Behind</button><dialog id=d><h2>Sure?</h2><button>Yes</button></dialog><script>d.showModal()</script>"
    )
    seen = await page.observe()
    assert (seen.dialogs, names(seen)) == (("Sure?",), ["Sure?", "Yes"])


async def test_frames_and_shadow_roots_are_entered(show: Show, site: Site) -> None:
    site.pages["/inner"] = "<button onclick=\"this.textContent = 'pressed'\">In frame</button>"
    page = await show(
        "<div style='height:80px'></div><iframe src=/inner style='margin-left:70px'></iframe><div id=h></div><script>h.attachShadow({mode: 'open'})"
        ".innerHTML = '<button onclick=\"this.textContent = \\'hit\\'\">In shadow</button><slot></slot>'</script>"
    )
    seen = await page.observe()
    inner = named(seen, "In frame")
    assert inner.frame == 1
    assert inner.box.x > 70
    await page.act(Click(inner.ref))
    await page.act(Click(named(seen, "In shadow").ref))
    assert names(await page.observe()) == ["pressed", "hit"]


async def test_a_hidden_checkbox_is_pressed_by_its_label(show: Show) -> None:
    page = await show(
        "<input id=c type=checkbox style='position:absolute;opacity:0;width:0;height:0'><label for=c>Versioning</label>"
    )
    await page.act(Click(named(await page.observe(), "Versioning").ref))
    assert named(await page.observe(), "Versioning").states == ("checked", "focused")


async def test_readable_text_is_there_too(show: Show) -> None:
    page = await show(
        "<h1>Volume</h1><p>It is <b>3 GB</b> large.</p><dl><dt>Zone<dd>north</dl><div role=status>Saved</div><ul><li>one <button>x1</button></ul>"
    )
    seen = await page.observe()
    told = [(element.role, element.name) for element in seen.elements if not element.actionable]
    assert told == [
        ("heading", "Volume"),
        ("text", "It is 3 GB large."),
        ("text", "Zone"),
        ("text", "north"),
        ("status", "Saved"),
        ("text", "one"),
    ]
    assert named(seen, "north").label == "Zone"
    assert seen.toasts == ("Saved",)


async def test_refs_last_through_a_redraw(show: Show) -> None:
    row = (
        "<tr><td>alpha</td><td><button>Delete</button></td></tr><tr><td>beta</td><td><button>Delete</button></td></tr>"
    )
    page = await show(f"<table>{row}</table>")
    before = await page.observe()
    await page.evaluate("document.querySelector('table').innerHTML = document.querySelector('table').innerHTML")
    after = await page.observe()
    assert after.elements == before.elements
    assert after.fingerprint == before.fingerprint


async def test_the_fingerprint_is_about_what_would_be_decided_on(show: Show) -> None:
    page = await show(
        "<input aria-label=Name><button>Go</button><div class=toast id=t style='position:fixed;top:300px'>Note</div><div style='height:2000px'>"
    )
    first = await page.observe()
    await page.evaluate("t.remove()")
    await page.evaluate("document.querySelector('button').focus()")
    await page.evaluate("scrollTo(0, 30)")
    same = await page.observe()
    assert same.fingerprint == first.fingerprint
    assert (first.toasts, same.toasts) == (("Note",), ())
    await page.act(Type(named(same, "Name").ref, "x"))
    assert (await page.observe()).fingerprint != first.fingerprint


async def test_the_page_cannot_tamper_with_what_is_seen(show: Show) -> None:
    page = await show(
        "<button>Delete everything</button><script>Element.prototype.getAttribute = () => 'Harmless'; JSON.stringify = () => '{}';"
        "Object.defineProperty(Node.prototype, 'textContent', {get: () => 'Harmless'}); globalThis.belay = {observe: () => ''}</script>"
    )
    assert names(await page.observe()) == ["Delete everything"]


async def test_a_tall_dialog_is_seen_whole_wherever_it_is_scrolled_to(show: Show) -> None:
    page = await show(
        "<div class='modal show' role=dialog style='position:fixed;inset:0;overflow:auto'>"
        "<button>Top</button><div style='height:2000px'></div><button>Bottom</button></div>"
    )
    seen = await page.observe()
    assert "offscreen" in named(seen, "Bottom").states
    await page.act(Click(named(seen, "Bottom").ref))
    seen = await page.observe()
    assert "offscreen" in named(seen, "Top").states
    assert "offscreen" not in named(seen, "Bottom").states


async def test_a_page_that_keeps_replacing_itself_is_observed_all_the_while(show: Show, site: Site) -> None:
    # From one host name to the other, so that each time another process of the browser takes over.
    other = site.host.replace("127.0.0.1", "localhost")
    hop = (
        "<!doctype html><button>Here</button><script>const n = +location.search.slice(1);"
        f"if (n < 40) location.replace('http://' + (n % 4 < 2 ? '{site.host}' : '{other}') + '/hop?' + (n + 1))</script>"
    )
    site.pages["/hop"] = hop
    page = await show("<button>Here</button>")
    await page.evaluate("setTimeout(() => location.replace('/hop?0'), 0), 1")
    seen = [await page.observe()]
    while not seen[-1].url.endswith("?40"):
        seen.append(await page.observe())
    assert [names(each) for each in seen] == [["Here"]] * len(seen)
