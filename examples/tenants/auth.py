"""Restricts a LangGraph server to tenants, each with a bearer token and its indexes.

Whatever a handler below does not allow is refused. The file that TENANTS names has for each tenant
the hash of its token and its indexes, the default one first:

    {"ada": {"token_sha256": "9f86d0…", "indexes": ["ada", "shared"]}}
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from langgraph_sdk import Auth
from ragraphs import RagraphsError
from ragraphs.server.access import access_of

auth = Auth()
_TENANTS = {
    tenant["token_sha256"]: {"identity": name, "indexes": tenant["indexes"]}
    for name, tenant in json.loads(Path(os.environ["TENANTS"]).read_text(encoding="utf-8")).items()
}


@auth.authenticate
async def authenticate(authorization: str | None) -> dict[str, Any]:
    """The tenant whose token the request carries; 401 for nobody's."""
    scheme, _, token = (authorization or "").partition(" ")
    tenant = _TENANTS.get(hashlib.sha256(token.strip().encode()).hexdigest())
    if scheme.lower() != "bearer" or tenant is None:
        raise Auth.exceptions.HTTPException(401, "Send the header: Authorization: Bearer TOKEN.")
    return dict(tenant)


@auth.on
async def refuse(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Refuses all that no other handler allows: changed assistants, crons, the store."""
    raise Auth.exceptions.HTTPException(403, f"Tenants may not {ctx.action} {ctx.resource} here.")


@auth.on(resources="assistants", actions=["read", "search"])
async def see_the_graphs(ctx: Auth.types.AuthContext, value: Any) -> None:
    """All tenants see the same assistants, one for each graph, which hold nothing of anybody's."""


@auth.on.threads
async def keep_to_own_threads(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Marks each new thread with its tenant, who alone can see, change, copy or delete it."""
    return _own(ctx, value)


@auth.on.threads.create_run
async def ask_own_index(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    """Lets a run use the index that it names if it is the tenant's, else the tenant's first.

    The index is always set, so that none that was stored anywhere takes its place.
    """
    asked = value["kwargs"].get("context") or {}
    try:
        index = access_of(ctx.user).index(asked.get("index"))
    except RagraphsError as error:
        raise Auth.exceptions.HTTPException(403, str(error)) from error
    value["kwargs"]["context"] = {**asked, "index": index}
    return _own(ctx, value)


def _own(ctx: Auth.types.AuthContext, value: Any) -> dict[str, str]:
    metadata = value.get("metadata")
    if metadata is None:
        metadata = value["metadata"] = {}
    metadata["tenant"] = ctx.user.identity  # in place: the server reads no other dictionary
    return {"tenant": ctx.user.identity}
