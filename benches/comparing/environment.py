"""The virtual environment of the peers: made once, with the versions of `requirements.txt`."""

import json
import subprocess
import sys
import venv
from pathlib import Path

from .trouble import Trouble

REQUIREMENTS = Path(__file__).parent.parent / "requirements.txt"

# Prints the version of each package that is named, null where it is missing.
VERSIONS = """
import importlib.metadata as metadata, json, sys
def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
"""


def wanted():
    """The pinned version of each package."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def python_of(folder, tell):
    """The Python of the environment in `folder`, which is made or completed where it must be."""
    python = Path(folder) / "bin" / "python"
    if python.exists() and versions(python) == wanted():
        return python
    if sys.version_info < (3, 11):
        raise Trouble(
            f"the peers need Python 3.11 or later, and this is {sys.version.split()[0]}; "
            "run benches/compare with a later one"
        )
    if not python.exists():
        if Path(folder).exists() and any(Path(folder).iterdir()):
            raise Trouble(f"{folder} is no virtual environment; give --env another folder")
        tell(f"making an environment for the peers in {folder}")
        venv.create(folder, with_pip=True)
    tell(f"installing {', '.join(wanted())} (some gigabytes, once)")
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    if subprocess.run([*pip, "-r", str(REQUIREMENTS)]).returncode != 0:
        raise Trouble(f"pip could not install {REQUIREMENTS}; see its words above, then try again")
    found = versions(python)
    if found != wanted():
        raise Trouble(f"pip left {folder} with {found}; remove the folder and try again")
    return python


def python_with_isotherm(folder, root, tell):
    """A Python with the package of this tree, built and installed anew."""
    python = Path(folder) / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    tell("building and installing the Python package")
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    if subprocess.run([*pip, "--force-reinstall", "--no-deps", str(root)]).returncode != 0:
        raise Trouble("pip could not install the package; see its words above")
    if subprocess.run([*pip, str(root)]).returncode != 0:
        raise Trouble("pip could not install what the package needs; see its words above")
    return python


def versions(python):
    asked = [str(python), "-c", VERSIONS, *wanted()]
    done = subprocess.run(asked, capture_output=True, text=True)
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    # `2.15.0+cu132` is a build of 2.15.0.
    return {name: version and version.split("+")[0] for name, version in found.items()}
