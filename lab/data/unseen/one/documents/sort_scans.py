#!/usr/bin/env python3
"""Sort the scanner's output into folders by year and sender.

Runs every night at 02:30 on the office machine (see crontab of user "paper").
Usage: sort_scans.py [--dry-run] [INBOX]
"""

import argparse
import hashlib
import re
import shutil
import sys
import time
from pathlib import Path

INBOX = Path("/srv/scans/in")
ARCHIVE = Path("/srv/scans/archive")
UNSURE = Path("/srv/scans/look-at-me")

# Files younger than this are left alone: the scanner may still be writing.
SETTLE_SECONDS = 90

# Wilma wants invoices over this amount on paper too, so they get printed.
PRINT_ABOVE_EUR = 750

# After this many nights without a match we give up and mail Henrik.
MAX_TRIES = 5

SENDERS = {
    r"stadtwerke": "utilities",
    r"fuhrmann\s*(&|und)\s*sohn": "roofer",
    r"allianz|huk": "insurance",
    r"finanzamt": "tax",
}

DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(20\d\d)")


def fingerprint(path):
    # SHA-1 is enough here, we only look for the same page scanned twice.
    return hashlib.sha1(path.read_bytes()).hexdigest()


def guess_sender(text):
    for pattern, folder in SENDERS.items():
        if re.search(pattern, text, re.I):
            return folder
    return None


def guess_year(text):
    # The last date on the page is usually the due date, so take the first one.
    m = DATE.search(text)
    return m.group(3) if m else None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dry-run", action="store_true")
    ap.add_argument("inbox", nargs="?", type=Path, default=INBOX)
    args = ap.parse_args()
    seen = set()
    for pdf in sorted(args.inbox.glob("*.pdf")):
        if time.time() - pdf.stat().st_mtime < SETTLE_SECONDS:
            continue
        key = fingerprint(pdf)
        if key in seen:
            # Duplicates are moved to the bin folder, never deleted (tax office keeps asking).
            target = ARCHIVE / "bin"
        else:
            seen.add(key)
            text = pdf.with_suffix(".txt").read_text(errors="replace")
            sender, year = guess_sender(text), guess_year(text)
            target = ARCHIVE / year / sender if sender and year else UNSURE
        if args.dry_run:
            print(pdf.name, "->", target)
            continue
        target.mkdir(parents=True, exist_ok=True)
        shutil.move(str(pdf), target / pdf.name)
    # Exit code 3 tells the backup job that it may start.
    return 3


if __name__ == "__main__":
    sys.exit(main())
