"""What a recorded MiniWoB++ page does not tell of itself: what listens, what shows a pointer, what labels what."""

INPUTS = {"checkbox": "checkbox", "radio": "radio", "number": "spinbutton", "range": "slider", "hidden": ""}
PRESSED = frozenset({"button", "submit", "reset", "image", "file", "color"})
TAGS = {"TEXTAREA": "textbox", "SELECT": "combobox", "BUTTON": "button", "A": "link"}
WIDGETS = {"ui-tabs-tab": "tab", "ui-accordion-header": "tab", "ui-menu-item-wrapper": "menuitem"}
BARE_LINKS = frozenset({"ui-spinner-button", "ui-datepicker-prev", "ui-datepicker-next"})  # links without an address
# What the pages' scripts make clickable; a recording does not say what listens.
CLICKED = frozenset(
    {
        "color", "reply", "retweet", "like", "more", "share", "trash", "star", "email-reply", "email-forward",
        "hitarea", "open-search", "search-cancel", "close-email", "close-reply", "send-reply", "close-forward",
        "send-forward", "ui-datepicker-prev", "ui-datepicker-next",
    }
)  # fmt: skip
# These show a pointer, so that they can be used whatever is in them.
POINTED = frozenset(
    {
        "alink", "email-thread", "email-send", "flight-price", "flight-input", "ui-menu-item", "folder",
        "file", "final", "ui-spinner-button",
    }
)  # fmt: skip
SHAPES = frozenset({"circle", "rect", "polygon", "ellipse", "text"})
SHAPED = {"rect": "rectangle", "polygon": "triangle"}  # what a person calls them
DRAWN = {  # tasks -> what of their drawing is clicked
    "click-shape": SHAPES,
    "grid-coordinate": frozenset({"circle"}),
    "click-pie": frozenset({"text"}),
    "click-pie-nodelay": frozenset({"text"}),
    "count-shape": SHAPES,
    "identify-shape": SHAPES,
}
COLOURS = {
    (255, 0, 0): "red", (0, 0, 255): "blue", (128, 128, 0): "olive", (0, 255, 0): "lime", (0, 0, 0): "black",
    (255, 255, 255): "white", (128, 128, 128): "grey", (128, 0, 128): "purple", (255, 165, 0): "orange",
    (255, 255, 0): "yellow", (0, 255, 255): "cyan", (255, 192, 203): "pink", (255, 0, 255): "magenta",
}  # fmt: skip
BLOCKS = frozenset(
    {
        "P", "DIV", "H1", "H2", "H3", "H4", "H5", "H6", "TABLE", "UL", "OL", "LI", "TR", "TD", "TH", "FORM", "THEAD",
        "TBODY",
    }
)  # fmt: skip
FIELDS = frozenset({"textbox", "spinbutton", "checkbox", "radio", "combobox", "slider"})
LABELLED = frozenset({"spinner", "tags"})  # fields whose label points at them; the others' labels stand beside
PLACEHOLDERS = {"flight-from": "From:", "flight-to": "To:"}
READ_ONLY = frozenset({"datepicker"})
OVER = frozenset({"ui-dialog", "ui-datepicker", "ui-autocomplete", "popup"})  # drawn over what is behind
