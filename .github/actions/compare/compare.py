"""Run `evalcore compare`, and tell a job of GitHub Actions what it found: its summary, a comment and annotations."""

import json
import os
import secrets
import shlex
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

LETTERS_OF_A_COMMENT = 65_000  # GitHub takes 65,536


def main():
    """Write the answer everywhere, and the exit code as an output: later steps keep the page before the job fails."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["RUNNER_TEMP"]))
    markdown, page = folder / "comparison.md", folder / "comparison.html"
    command = [Path(sys.executable).with_name("evalcore"), "compare", "-o", markdown, "-o", page]
    try:
        command += shlex.split(os.environ["ARGUMENTS"].replace("\\\n", " "))
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    except ValueError as error:
        got = f"arguments must be quoted as in a shell: {str(error).lower()}"
        ran = subprocess.CompletedProcess(command, 2, "", got)
    log(ran.stdout + ran.stderr)
    if ran.returncode:
        annotate("error", why(ran.stderr))
    if markdown.exists():
        answer = markdown.read_text("utf-8")
    else:
        answer = f"**evalcore compare stopped with an error.**\n\n{textwrap.indent(why(ran.stderr), '    ')}\n"
    append("GITHUB_STEP_SUMMARY", answer)
    append("GITHUB_OUTPUT", f"status={ran.returncode}\n" + f"folder={folder}\n" * page.exists())
    if os.environ["COMMENT"] == "true":
        comment(answer)


def log(text):
    """Print a text in which no line is a command to the runner, whatever names the data hold."""
    token = secrets.token_hex()
    print(f"::stop-commands::{token}\n{text}\n::{token}::", flush=True)


def annotate(kind, text):
    """Show a text beside the job."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{kind} title=evalcore compare::{escaped}", flush=True)


def why(said):
    """Return the result of the gate and the numbers that failed it, else the error, which is the last line."""
    lines = [line.removeprefix("evalcore: ") for line in said.splitlines()] or ["no reason was given"]
    first = next((index for index, line in enumerate(lines) if line.startswith("gate ")), len(lines) - 1)
    return "\n".join(lines[first:])


def append(variable, text):
    """Add a text to a file that the runner reads."""
    with open(os.environ[variable], "a", encoding="utf-8") as file:
        file.write(text)


def comment(answer):
    """Comment on the pull request, in place of what an earlier run said; a fork may not, which is a warning."""
    pull_request = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8")).get("pull_request")
    if pull_request is None:
        return
    mark = f"<!-- evalcore compare: {os.environ['NAME']} -->\n"
    body = mark + answer
    if len(body) > LETTERS_OF_A_COMMENT:
        body = body[:LETTERS_OF_A_COMMENT].rpartition("\n")[0] + "\n\nThe comparison goes on in the artifact.\n"
    comments = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues/comments"
    of_this = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues/{pull_request['number']}/comments"
    try:
        wanted = '.[] | select(.user.type == "Bot") | {id, body}'  # nobody else's comment is replaced
        lines = github("--paginate", of_this, "--jq", wanted).split("\n")  # JSON may hold other ends of lines
        found = map(json.loads, filter(None, lines))
        own = next((each["id"] for each in found if each["body"].startswith(mark.strip())), None)
        where = ("POST", of_this) if own is None else ("PATCH", f"{comments}/{own}")
        github("--method", *where, "--input", "-", sent=json.dumps({"body": body}))
    except (OSError, subprocess.CalledProcessError) as error:
        annotate("warning", f"no comment was written: {getattr(error, 'stderr', None) or error}")


def github(*arguments, sent=None):
    """Call the interface of GitHub."""
    command = ["gh", "api", *arguments]
    return subprocess.run(command, input=sent, capture_output=True, text=True, encoding="utf-8", check=True).stdout


if __name__ == "__main__":
    main()
