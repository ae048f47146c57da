"""PDF files, made of lines of text or of content streams."""

from __future__ import annotations

import zlib

from lab.attack.repetition import REPEATED

# pypdf takes over half a second for each of its 300 pages.
ENDLESS = REPEATED["pdf of forms in forms"]("", 12 * 300)


def pdf(*pages: str | bytes, compress: bool = False, title: str = "") -> bytes:
    """A PDF, each page of which shows a line of text, or has the content stream given as bytes."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    info = f"<< /Title ({title}) >>".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for i, page in enumerate(pages):
        content = (
            f"BT /F 12 Tf 72 700 Td ({page}) Tj ET".encode() if isinstance(page, str) else page
        )
        content = zlib.compress(content) if compress else content
        flate = "/Filter /FlateDecode " if compress else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>".encode()
        )
        head = f"<< {flate}/Length {len(content)} >>\nstream\n".encode()
        objects.append(head + content + b"\nendstream")
    objects.append(info)
    return assemble(objects)


def assemble(objects: list[bytes]) -> bytes:
    body, offsets = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(objects), len(body))
    )
