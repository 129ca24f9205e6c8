"""No page may ask an outside host for anything: drops what a theme or an extension would load from one."""

from __future__ import annotations

from typing import Any


def _is_outside(asset: Any) -> bool:
    name = str(getattr(asset, "filename", asset) or "")
    return name.startswith(("http:", "https:", "//"))


def no_outside_hosts(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    for kind in ("css_files", "script_files"):
        context[kind] = [asset for asset in context[kind] if not _is_outside(asset)]


def setup(app: Any) -> dict[str, bool]:
    app.add_config_value("comments_config", {}, "env")  # Jupyter Book sets it for an extension that is left out
    app.connect("html-page-context", no_outside_hosts, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
