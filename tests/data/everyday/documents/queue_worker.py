"""Takes jobs from the queue and runs them, one after another, until it is told to stop."""

import json
import logging
import signal
import time
from pathlib import Path

LOG = logging.getLogger("worker")
LEASE_SECONDS = 90  # a job that is not finished by then goes to another worker
MOST_ATTEMPTS = 4
BACKOFF = (1, 5, 30, 120)


class Poisoned(Exception):
    """A job that failed too often; it is moved to the folder dead and never tried again."""


class Worker:
    """A worker with a name of its own, which it writes into each lease that it takes.

    It looks for jobs every two seconds while there are none.
    """

    def __init__(self, name: str, queue: Path) -> None:
        self.name = name
        self.queue = queue
        self.stopping = False
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_: object) -> None:
        """Finishes the job at hand and then ends; a second signal is ignored."""
        self.stopping = True

    def run(self) -> None:
        while not self.stopping:
            job = self.take()
            if job is None:
                time.sleep(2)
                continue
            self.attempt(job)

    def take(self) -> dict | None:
        """The oldest job whose lease has run out, or None.

        The lease is a file that is created exclusively, so two workers never get the same job.
        """
        for path in sorted(self.queue.glob("*.json")):
            lease = path.with_suffix(".lease")
            if lease.exists() and time.time() - lease.stat().st_mtime > LEASE_SECONDS:
                lease.unlink(missing_ok=True)
            try:
                lease.open("x").write(self.name)
            except FileExistsError:
                continue
            return json.loads(path.read_text())
        return None

    def attempt(self, job: dict) -> None:
        """Runs a job; raises Poisoned after the fourth failure.

        Between two attempts it waits 1, 5, 30 and 120 seconds.
        """
        tries = job.get("tries", 0)
        if tries >= MOST_ATTEMPTS:
            raise Poisoned(job["id"])
        time.sleep(BACKOFF[tries] if tries else 0)
        LOG.info("running %s for the %d. time", job["id"], tries + 1)
