"""HTTP of signing in, people and tokens."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404
from django.views.decorators.csrf import csrf_protect
from ninja import Field, Router, Schema, Status
from ninja.decorators import decorate_view

from webapp.access import caller, needs
from webapp.accounts import actions, queries
from webapp.accounts.models import ApiToken, Role, Scope, User
from webapp.problems import Forbidden
from webapp.texts import Name

router = Router(tags=["accounts"])


class SignIn(Schema):
    username: str = Field(max_length=150)
    password: str = Field(max_length=1024)


class Me(Schema):
    id: int
    username: str
    role: Role


class Person(Schema):
    id: int
    username: str
    role: Role
    is_active: bool
    last_login: datetime | None


class NewPerson(Schema):
    username: str
    role: Role
    password: str = Field(max_length=1024)


class PersonPatch(Schema):
    role: Role | None = None
    is_active: bool | None = None
    password: str | None = Field(None, max_length=1024)


class TokenRow(Schema):
    id: int
    name: str
    prefix: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None


class NewToken(Schema):
    name: Name = Field(min_length=1, max_length=80)
    scopes: list[Scope] = Field(min_length=1)
    days: int = Field(30, ge=1, le=365)


class CreatedToken(TokenRow):
    token: str


class CsrfToken(Schema):
    csrf_token: str


@router.get("/csrf", response=CsrfToken, auth=None, summary="Sets the CSRF cookie")
def csrf(request: HttpRequest) -> dict[str, str]:
    return {"csrf_token": get_token(request)}


@router.post("/auth/sign-in", response=Me, auth=None)
@decorate_view(csrf_protect)
def sign_in(request: HttpRequest, body: SignIn) -> User:
    return actions.sign_in(request=request, username=body.username, password=body.password)


@router.post("/auth/sign-out", response={204: None}, **needs(Role.OPERATOR, Scope.READ))
def sign_out(request: HttpRequest) -> Status[None]:
    actions.sign_out(request=request, user=caller(request).user)
    return Status(204, None)


@router.get("/me", response=Me, **needs(Role.OPERATOR, Scope.READ))
def me(request: HttpRequest) -> User:
    return caller(request).user


@router.get("/people", response=list[Person], **needs(Role.ADMIN, Scope.ADMIN))
def list_people(request: HttpRequest) -> Any:
    return queries.people()


@router.post("/people", response={201: Person}, **needs(Role.ADMIN, Scope.ADMIN))
def create_person(request: HttpRequest, body: NewPerson) -> Status[User]:
    who = caller(request)
    return Status(201, actions.create_person(**body.dict(), by=who.user, how=who.how))


@router.patch("/people/{user_id}", response=Person, **needs(Role.ADMIN, Scope.ADMIN))
def change_person(request: HttpRequest, user_id: int, body: PersonPatch) -> User:
    who = caller(request)
    return actions.change_person(user_id=user_id, **body.dict(), by=who.user, how=who.how)


@router.get("/tokens", response=list[TokenRow], **needs(Role.OPERATOR, Scope.READ))
def list_tokens(request: HttpRequest) -> Any:
    return queries.tokens_of(caller(request).user)


@router.post("/tokens", response={201: CreatedToken}, **needs(Role.OPERATOR, Scope.ADMIN))
def create_token(request: HttpRequest, body: NewToken) -> Status[dict[str, Any]]:
    who = caller(request)
    if who.how != "web":  # else a token for one thing could make itself one for everything
        raise Forbidden("Tokens are made by signed-in people, not by tokens.")
    row, text = actions.create_token(user=who.user, **body.dict(), how=who.how)
    return Status(201, {**TokenRow.from_orm(row).dict(), "token": text})


@router.delete("/tokens/{token_id}", response={204: None}, **needs(Role.OPERATOR, Scope.ADMIN))
def revoke_token(request: HttpRequest, token_id: int) -> Status[None]:
    who = caller(request)
    token = get_object_or_404(ApiToken, id=token_id, user=who.user)
    actions.revoke_token(token=token, user=who.user, how=who.how)
    return Status(204, None)
