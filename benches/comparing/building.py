"""Builds what is measured: this tree's programs, and the command line of an earlier commit."""

import json
import subprocess
from pathlib import Path

from .trouble import Trouble

ROOT = Path(__file__).parent.parent.parent


def build(packages, tell, root=ROOT, target=None):
    """Builds these packages with `--release` and gives their executables by name."""
    tell(f"building {', '.join(packages)}" + ("" if root == ROOT else f" of {root.name}"))
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--message-format=json"]
    command += [argument for package in packages for argument in ("--package", package)]
    if target:
        command += ["--target-dir", str(target)]
    try:
        done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise Trouble("there is no cargo; install a Rust toolchain") from None
    if done.returncode != 0:
        raise Trouble(f"cargo could not build {', '.join(packages)} in {root}; see its words above")
    messages = map(json.loads, done.stdout.splitlines())
    return {m["target"]["name"]: m["executable"] for m in messages if m.get("executable")}


def build_before(before, folder, tell):
    """The command line to compare with: an executable, or built from a commit of this repository.

    The commit's tree is unpacked under `folder` and built there, so that neither this tree nor the
    repository's list of worktrees changes. Nothing where the commit is not to be had.
    """
    if Path(before).is_file():
        return str(Path(before).resolve())
    archive = subprocess.run(["git", "archive", before], cwd=ROOT, capture_output=True)
    if archive.returncode != 0:
        tell(f"commit {before} is not in this clone: nothing to compare the default run with")
        return None
    tree = folder / before
    if not (tree / "Cargo.toml").exists():
        tree.mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive.stdout, check=True)
    return build(["isotherm-cli"], tell, tree, folder / "target")["isotherm"]


def commit():
    """The commit of this tree, with a plus if something in it has changed."""

    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    hash = git("rev-parse", "--short", "HEAD")
    return hash and hash + ("+" if git("status", "--porcelain") else "")
