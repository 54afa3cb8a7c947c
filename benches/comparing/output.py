"""The table as Markdown, everything as JSON, and the cost of doubling as a picture."""

import json
import platform
import subprocess
from dataclasses import asdict

from . import building, environment
from .picture import picture
from .trouble import Trouble

# The share of waiting from which on the reader is told: caches suffer too.
DISTURBED = 0.05

NAMES = ["compare.json", "compare.md", "compare.svg"]


def claim(out):
    """Makes the folder of the results, and refuses one that holds something else."""
    if out.exists() and any(out.iterdir()) and not (out / NAMES[0]).exists():
        raise Trouble(f"{out} holds something that is not a comparison; give --out another folder")
    out.mkdir(parents=True, exist_ok=True)
    (out / NAMES[0]).touch()


def circumstances(session):
    """On what all this was measured."""
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
    peers = environment.versions(session.python) if "python" in vars(session) else {}
    return {
        "cpu": cpu(),
        "commit": building.commit(),
        "rustc": rustc,
        "python": platform.python_version(),
        "peers": peers,
        "load_at_start": session.load,
        "quick": session.quick,
        "rounds": session.rounds,
        "slice_seconds": session.slice_seconds,
    }


def cpu():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    fields = {name.strip(): value.strip() for name, value in fields.items()}
    name = fields.get("model name", platform.machine())
    flags = fields.get("flags", "").split()
    best = next((level for level in ("avx512f", "avx2") if level in flags), None)
    return f"{name} ({best})" if best else name


def markdown(found, rows):
    peers = ", ".join(f"{name} {version}" for name, version in found["peers"].items())
    parts = [found["cpu"], f"commit {found['commit']}", found["rustc"], peers]
    lines = [
        "# Isotherm and its peers",
        "",
        "; ".join(part for part in parts if part) + ".",
        "",
        "Time of an update, best turn of each, contestants in turns on one core with one thread if no "
        "row says otherwise; in brackets how far the median turn lies above it."
        + (" Measured with `--quick`: short turns, few of them." if found["quick"] else ""),
        "",
        "| | Isotherm | beside it | figure | target | met |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        met = {True: "yes", False: "**no**", None: ""}[row.met]
        cells = [row.what, row.ours, row.theirs, row.figure, row.target, met]
        lines.append("| " + " | ".join(cells) + " |")
    waited = max((share for row in rows for share in waits(row.details)), default=0)
    if waited > DISTURBED:
        sentence = (
            f"The machine was busy: contestants waited for their core up to {waited:.0%} of the time. "
            "That is taken off, but not from two threads, which come out too slow."
        )
        lines += ["", sentence]
    return "\n".join(lines) + "\n"


def waits(details):
    """The share of its turns in which each contestant waited for its core."""
    for value in details.values():
        if isinstance(value, dict):
            yield from [value["waited"]] if "waited" in value else waits(value)


def write(session, rows):
    """Writes all there is so far, and gives the Markdown."""
    found = circumstances(session)
    described = {"circumstances": found, "rows": [asdict(row) for row in rows]}
    json_file, markdown_file, picture_file = (session.out / name for name in NAMES)
    text = markdown(found, rows)
    json_file.write_text(
        json.dumps(described, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    markdown_file.write_text(text, encoding="utf-8")
    curves = {row.details["size"]: row.details["seconds"] for row in rows if "size" in row.details}
    picture_file.write_text(picture(curves, rows), encoding="utf-8")
    return text
