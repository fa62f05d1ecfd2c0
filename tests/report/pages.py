"""Reading a page as a browser does, with the parser of the standard library."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br", "hr", "img"}


class Page(HTMLParser):
    """The elements of a page: tags with attributes, their text, and whether all were closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"{tag} has an attribute twice: {attrs}"
        self.elements.append((tag, dict(attrs)))
        self.texts.setdefault(tag, [])
        if tag not in _VOID:
            self.open.append(tag)
            self.texts[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Give the attributes of all elements of a name."""
        return [attributes for name, attributes in self.elements if name == tag]
