"""What an action may cost, decided by rules outside the model; a page's text can only raise it."""

import re
from collections.abc import Iterable
from typing import assert_never

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Press, Scroll, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Risk

_DESTROYS = re.compile(
    r"\b(?:delet(?:e[sd]?|ing|ion)|remov(?:e[sd]?|ing|al)|terminat\w*|destroy\w*|drop|purge|erase|wipe|trash|revoke|"
    r"detach|discard|deactivate|uninstall|reset|evict|truncate|unlink|overwrite|cannot be undone|irreversibl[ey]|"
    r"permanently)\b|删除|移除|销毁|终止|清空"
)
_CREDENTIALS = re.compile(
    r"\b(?:access keys?|secrets?|credentials?|tokens?|passwords?|api keys?|private keys?|key pairs?|keys?|"
    r"permissions?|polic(?:y|ies)|grants?|roles?|users?|accounts?|certificates?|mfa)\b|密钥|密码|凭证|用户"
)
_COSTS = re.compile(
    r"\b(?:create|add|new|launch|buy|purchase|order|subscribe|upgrade|resize|scale|provision|deploy|allocate|reserve|"
    r"start|stop|reboot|restart|run|increase|extend|enlarge|grow|shrink|attach|quotas?|import|restore)\b|创建|购买|扩容"
)
_SAVES = re.compile(
    r"\b(?:save|apply|update|set|edit|change|modify|rename|enable|disable|allow|authori[sz]e|assign|move|tag)\b|保存|修改"
)
_OPENS = re.compile(
    r"\b(?:create|add|new|launch|edit|change|modify|set|manage|configure|settings|plus|pen|pencil|cog|gear|rename|"
    r"attach|resize|enlarge|quota|actions?|upload|import|keys?|permissions?|polic(?:y|ies)|users?)\b|创建|编辑"
)
_READS = re.compile(
    r"\b(?:search|filter|find|refresh|reload|sync|view|show|details?|open|browse|back|next|previous|prev|more|less|"
    r"expand|collapse|sort|page|first|last|home|help|info|list|menu|toggle|hide|overview|go|copy|eye|chevron|bars|"
    r"left|right|up|down|export|select all|\d+)\b|搜索|刷新|查看"
)
_DISMISSES = re.compile(r"^(?:cancel|close|dismiss|no|back|keep\b.*|not now|never ?mind|×|x|取消|关闭)$|^close\b")
_ACKNOWLEDGES = re.compile(r"^(?:ok|okay|got it|done|understood|知道了|确定)$")
_SEARCHES = re.compile(r"\b(?:search|filter|find)\b|搜索")
_REVEALS = re.compile(r"\b(?:show|view|reveal|copy|download)\b")
_QUIET_KEYS = frozenset({"Escape", "Tab", "ArrowUp", "ArrowDown"})
_NAVIGATION = frozenset({"link", "tab", "option"})
_FIELDS = frozenset({"textbox", "spinbutton", "combobox", "slider", "checkbox", "radio", "switch"})
_TEXTS = frozenset({"textbox", "spinbutton"})


def classify(action: Action, observation: Observation) -> Risk:
    """The risk of doing this on that page. Deterministic; UNKNOWN where nothing tells what it would do."""
    match action:
        case Wait() | Scroll() | Finish() | GiveUp() | Navigate():
            return Risk.READ
        case Press(key):
            return _press(key, observation)
        case Type(ref) | Select(ref):
            element = observation.element(ref)
            return Risk.UNKNOWN if element is None else _fill(element)
        case Click(ref):
            element = observation.element(ref)
            return Risk.UNKNOWN if element is None else _click(element, observation)
        case _:
            assert_never(action)


def riskier(*risks: Risk) -> Risk:
    """The riskiest of these."""
    return max(risks, key=lambda risk: risk.rank)


def _spoken(*texts: str) -> str:
    return re.sub(r"[\s_\-/.]+", " ", " ".join(texts)).strip().lower()


def _fill(element: Element) -> Risk:
    return Risk.READ if _SEARCHES.search(_spoken(element.name)) else Risk.REVERSIBLE


def _press(key: str, observation: Observation) -> Risk:
    if key in _QUIET_KEYS:
        return Risk.READ
    focused = next((each for each in observation.elements if "focused" in each.states and each.actionable), None)
    if focused is None:
        return Risk.UNKNOWN if observation.dialogs else Risk.READ
    if focused.role not in _TEXTS:
        return _click(focused, observation)
    if key != "Enter" or _SEARCHES.search(_spoken(focused.name)):
        return _fill(focused)
    # Enter in a field sends its form: as risky as the riskiest button beside it.
    beside = [each for each in _usable(observation, focused) if each.role == "button"]
    return riskier(*(_click(each, observation) for each in beside)) if beside else Risk.UNKNOWN


def _usable(observation: Observation, like: Element) -> list[Element]:
    return [each for each in observation.elements if each.actionable and _is_near(each, like)]


def _is_near(element: Element, other: Element) -> bool:
    return element.region == other.region and element.frame == other.frame


def _click(element: Element, observation: Observation) -> Risk:
    name = _spoken(element.name)
    if element.role in _FIELDS:
        return Risk.REVERSIBLE if element.role in ("checkbox", "radio", "switch") else Risk.READ
    if element.role in _NAVIGATION:
        return Risk.DESTRUCTIVE if _DESTROYS.match(name) else Risk.READ
    if _DESTROYS.search(name):
        return Risk.DESTRUCTIVE
    if _DISMISSES.search(name):
        return Risk.READ
    if element.region == "dialog":
        return _confirm(element, name, observation)
    if _REVEALS.search(name) and re.search(r"\b(?:secret|password|token)\b", name):
        return Risk.CREDENTIAL
    if _OPENS.search(name) and not _sends_a_form(element, observation):
        return Risk.REVERSIBLE
    meant = _meaning(name, _spoken(element.group))
    if meant is Risk.UNKNOWN and _READS.search(name):
        return Risk.READ
    return meant


def _sends_a_form(element: Element, observation: Observation) -> bool:
    """Whether something is filled in beside it that it could send, or it stands at the end of a wizard."""
    near = _usable(observation, element)
    fields = (each for each in near if each.role in _TEXTS and "editable" in each.states)
    ends = (each for each in near if each.role in ("button", "link"))
    return any(not _SEARCHES.search(_spoken(each.name)) for each in fields) or any(
        _spoken(each.name) in ("back", "cancel", "返回", "取消") for each in ends
    )


def _confirm(button: Element, name: str, observation: Observation) -> Risk:
    """A dialog's button means what the dialog says."""
    fields = [each for each in _usable(observation, button) if each.role in _TEXTS and "editable" in each.states]
    said = _spoken(*_told(observation, button))
    if _ACKNOWLEDGES.search(name) and not fields and not _has_choice(observation, button):
        return Risk.READ  # a notice with nothing to decide; a request that it sends after all is stopped
    if _DESTROYS.search(_spoken(*observation.dialogs)):
        return Risk.DESTRUCTIVE
    # A form may speak of removing in passing; a question without fields that does so asks for just that.
    if not fields and _DESTROYS.search(said):
        return Risk.DESTRUCTIVE
    meant = _meaning(name, _spoken(*observation.dialogs))
    if meant is Risk.UNKNOWN and _READS.search(name):
        return Risk.READ
    return meant


def _has_choice(observation: Observation, button: Element) -> bool:
    others = (each for each in _usable(observation, button) if each.ref != button.ref and each.role == "button")
    return any(not re.match("close", _spoken(each.name)) for each in others)


def _told(observation: Observation, button: Element) -> Iterable[str]:
    return (each.name for each in observation.elements if _is_near(each, button) and not each.actionable)


def _meaning(name: str, about: str) -> Risk:
    """What a button that does something does; its surroundings say to what."""
    if _COSTS.search(name) or _SAVES.search(name):
        if _CREDENTIALS.search(name) or _CREDENTIALS.search(about):
            return Risk.CREDENTIAL
        return Risk.COST if _COSTS.search(name) or _COSTS.search(about) else Risk.REVERSIBLE
    if re.search(
        r"^(?:ok|yes|confirm|submit|continue|proceed|done|generate|rotate|accept|agree|确定|确认|提交)\b", name
    ):
        if _CREDENTIALS.search(name + " " + about):
            return Risk.CREDENTIAL
        return Risk.COST if _COSTS.search(about) else Risk.UNKNOWN
    return Risk.UNKNOWN
