from fastmcp import FastMCP
from .runner import go
from . import store

mcp = FastMCP("x")


@mcp.tool
def build(target: str) -> str:
    """Builds a target."""
    store.keep(target)
    return go(target)
