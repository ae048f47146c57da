"""The tools by the Model Context Protocol: over HTTP for ``app``, or by standard input and output.

python -m ragraphs.server.mcp
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from ..settings import Settings, settings, told_soon
from ..state.errors import RagraphsError, UnexpectedError, foreseen, problem_in
from .access import Access, access_of
from .admission import Slots, apart, questions_of, runs_of
from .tools import Tell, Tool, schema_of, tools

if TYPE_CHECKING:
    import mcp_types
    from mcp.server import Server
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings

_INSTRUCTIONS = (
    "Answers questions about the user's own documents, with verbatim quotations. Ask "
    "answer_question first; cite the quotations that it returns, with their places."
)
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_logger = logging.getLogger(__package__)


def mcp_server() -> Server[Any]:
    """A server of the tools; raises RagraphsError where the package ``mcp`` is missing."""
    try:
        from mcp.server import Server
    except ImportError as error:
        raise RagraphsError(
            "MCP needs a package that is not installed: pip install 'ragraphs[serve]'."
        ) from error
    from importlib.metadata import version

    return Server(
        "ragraphs",
        version=version("ragraphs"),
        title="Questions about documents",
        instructions=_INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
    )


def sessions() -> StreamableHTTPSessionManager:
    """Manager that answers HTTP requests while in its ``run()``; raises like ``mcp_server``.

    No request needs an earlier one, so that any number of processes may share the work.
    """
    server = mcp_server()
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    security = transport_security(settings().hosts)
    return StreamableHTTPSessionManager(server, stateless=True, security_settings=security)


def transport_security(hosts: list[str]) -> TransportSecuritySettings:
    """Refuses requests for other names than ``hosts``, by which web pages could reach the server.

    A page can have its own name point to this machine (DNS rebinding); ``*`` allows any name.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    names = [name for host in (*_LOCAL, *hosts) for name in (host, f"{host}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection="*" not in hosts,
        allowed_hosts=names,
        allowed_origins=[f"{scheme}://{name}" for name in names for scheme in ("http", "https")],
    )


async def _list_tools(
    request: ServerRequestContext[Any, Any], _: mcp_types.PaginatedRequestParams | None
) -> mcp_types.ListToolsResult:
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_REQUEST, ListToolsResult

    try:
        access, operator = _caller(request)
    except RagraphsError as error:
        raise MCPError(INVALID_REQUEST, str(error)) from error
    return ListToolsResult(tools=[_described(tool, access) for tool in tools(access, operator)])


def _described(tool: Tool[Any], access: Access) -> mcp_types.Tool:
    from mcp_types import Tool as Description
    from mcp_types import ToolAnnotations

    return Description(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(tool, access),
        output_schema=TypeAdapter(tool.result).json_schema(),
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.writes,  # a document with a known id is replaced
            idempotent_hint=True,
            open_world_hint=tool.reads_web,
        ),
    )


async def _call_tool(
    request: ServerRequestContext[Any, Any], call: mcp_types.CallToolRequestParams
) -> mcp_types.CallToolResult:
    """The result of a tool; what goes wrong is a result as well, for the model to read."""
    from mcp_types import CallToolResult, TextContent

    try:
        access, operator = _caller(request)
        tool = _named(call.name, tools(access, operator))
        work = _result(tool, call.arguments or {}, access, _teller(request))
        result = await apart(work, _places(request, tool))
    except Exception as error:
        shown = foreseen(error)
        if not isinstance(shown, RagraphsError) or isinstance(shown, UnexpectedError):
            _logger.exception("The tool %r failed.", call.name)
        problem = await told_soon(str(shown), settings())
        if not isinstance(shown, RagraphsError):
            problem = f"The tool {call.name} failed on the server, whose log says why."
        return CallToolResult(content=[TextContent(text=problem)], is_error=True)
    return CallToolResult(content=[TextContent(text=tool.text(result))], structured_content=result)


def _named(name: str, offered: list[Tool[Any]]) -> Tool[Any]:
    for tool in offered:
        if tool.name == name:
            return tool
    names = ", ".join(tool.name for tool in offered)
    raise RagraphsError(f"There is no tool {name[:50]!r}; choose one of: {names}.")


async def _result(tool: Tool[Any], given: dict[str, Any], access: Access, tell: Tell) -> Any:
    try:
        arguments = tool.arguments.model_validate(given)
    except ValidationError as error:
        raise RagraphsError(problem_in(error, "argument", tool.arguments.model_fields)) from error
    return await tool.run(arguments, access, tell)


def _places(request: ServerRequestContext[Any, Any], tool: Tool[Any]) -> Slots | None:
    """The places for calls of ``tool``; None by standard input, where one client asks alone."""
    if request.request is None:
        return None
    return (runs_of if tool.writes else questions_of)(request.request.app)


def _caller(request: ServerRequestContext[Any, Any]) -> tuple[Access, Settings]:
    scope = getattr(request.request, "scope", {})  # by standard input there is no HTTP request
    return access_of(scope.get("user")), settings()


def _teller(request: ServerRequestContext[Any, Any]) -> Tell:
    """Tells the client, if it wants to know, how the work goes on."""
    steps = 0

    async def tell(message: str) -> None:
        nonlocal steps
        steps += 1
        await request.session.report_progress(steps, message=message)

    return tell


async def _serve_stdio() -> None:
    server = mcp_server()
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def main() -> None:
    """Serves the tools to the program that started this one, until it closes standard input."""
    try:
        asyncio.run(_serve_stdio())
    except RagraphsError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
