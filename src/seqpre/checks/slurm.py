"""Checks of Slurm and the profile: partitions, accounts, and whether Snakemake will notice finished jobs."""

from __future__ import annotations

import getpass
import re
import subprocess
import sys

from seqpre.checks.finding import Finding, Site, doubtful, failed, fine, installed

SECONDS = 10  # seconds that a Slurm command may take
SLOWEST_POLL = 180  # most seconds between two looks of the executor plugin at the queue


def slurm(site: Site) -> Finding:
    """Check that Slurm's commands are installed and its controller answers."""
    _ask("sbatch", "--version")
    release = _ask("sinfo", "--version").strip()
    jobs = _ask("squeue", "--noheader", "--user", getpass.getuser(), "--format", "%i").split()
    return fine(f"{release} answers, {len(jobs)} jobs of yours are in the queue")


def executor_plugin(site: Site) -> Finding:
    """Check that Snakemake's Slurm plugin is installed, in the tested version."""
    (pin,) = site.project["optional-dependencies"]["slurm"]
    name, _, wanted = pin.partition("==")
    found, install = installed(name), f"{sys.executable} -m pip install -e '.[slurm]'"
    if not found:
        return failed(f"{name} is missing", install)
    return fine(f"{name} {found}") if found == wanted else doubtful(f"{found} instead of {wanted}", install)


def partitions(site: Site) -> Finding:
    """Check that the partitions in the profile are up, and have the GPUs of a training job."""
    lines = [line.split("|") for line in _ask("sinfo", "--noheader", "--format", "%P|%a|%l|%G").splitlines()]
    default = {name.rstrip("*") for name, *_ in lines if name.endswith("*")}
    known = {name.rstrip("*"): (up, limit) for name, up, limit, _ in lines}
    named = {name for value in _requested(site, "slurm_partition") for name in value.split(",")} or default
    advice = f"set slurm_partition in the profile's default-resources; Slurm has {', '.join(sorted(known))}"
    if not named:
        return failed("the profile names none and Slurm has no default", advice)
    if unknown := named - known.keys():
        return failed(f"there is no {', '.join(sorted(unknown))}", advice)
    if down := [name for name in sorted(named) if known[name][0] != "up"]:
        return doubtful(f"{', '.join(down)} is down: jobs will wait", advice)
    gpus = max(_gpus(gres) for name, _, _, gres in lines if name.rstrip("*") in named)
    found = f"{', '.join(f'{name} (limit {known[name][1]})' for name in sorted(named))}, {gpus} GPUs a node"
    if gpus < site.gpus:
        return failed(
            f"{found}; a training job asks for {site.gpus}", f"lower gpus_per_node in config.yaml, or {advice}"
        )
    shared = site.gpus and site.config["runs_per_gpu"] > 1 and not _requested(site, "gres")
    if shared and "shard" not in "".join(gres for *_, gres in lines):
        advice = "ask the administrators for Name=shard in gres.conf, or set runs_per_gpu: 1 in config.yaml"
        return failed(f"{found}, and no shards of them, which runs_per_gpu asks for", advice)
    return fine(found)


def account_and_qos(site: Site) -> Finding:
    """Check that the user has the account and the QOS in the profile."""
    accounts, qos = set(_requested(site, "slurm_account")), set(_requested(site, "qos"))
    qos |= {str(name) for name in [site.profile.get("slurm-qos")] if name}
    if not accounts | qos:
        return fine("none named, Slurm takes your default")
    named = ", ".join(sorted(accounts | qos))
    if not _keeps_accounts():
        return doubtful(f"{named}: not checked, Slurm keeps no accounts here", "leave them out of the profile")
    listing = ("sacctmgr", "--noheader", "--parsable2", "show", "associations", f"user={getpass.getuser()}")
    rows = [line.split("|") for line in _ask(*listing, "format=account,qos").splitlines()]
    yours, yours_qos = {account for account, _ in rows}, {name for _, names in rows for name in names.split(",")}
    if unknown := accounts - yours | qos - yours_qos:
        have = f"accounts {', '.join(sorted(yours))}, QOS {', '.join(sorted(yours_qos))}"
        return failed(f"{', '.join(sorted(unknown))} is not yours", f"correct it in the profile; yours are: {have}")
    return fine(named)


def finished_jobs(site: Site) -> Finding:
    """Check that Slurm remembers a finished job until Snakemake looks; Snakemake waits forever for a forgotten one."""
    if site.profile.get("slurm-status-command") != "squeue":
        if not _keeps_accounts():
            return failed("sacct has no records here", "slurm-status-command: squeue in the profile")
        return doubtful(
            "looked up by sacct", "a cancelled job is waited for for ever; slurm-status-command: squeue is not"
        )
    age = re.search(r"^MinJobAge\s*=\s*(\d+)", _ask("scontrol", "show", "config"), flags=re.MULTILINE)
    remembered = int(age[1]) if age else 0
    # If it is less than three of its first intervals, the plugin would ask sacct instead.
    needed = max(SLOWEST_POLL + 20, 3 * int(site.profile.get("slurm-init-seconds-before-status-checks", 40)))
    found = f"remembered for {remembered} s (MinJobAge)"
    if remembered < needed:
        return failed(f"{found}, {needed} s are needed", f"ask the administrators for MinJobAge={needed}")
    return fine(found)


def _ask(*command: str) -> str:
    """Return the output of a command. Raises OSError, with its message, if it fails, is missing or times out."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{command[0]} did not answer within {SECONDS} s") from error
    except FileNotFoundError as error:
        raise OSError(f"there is no {command[0]} on the PATH") from error
    if done.returncode:
        raise OSError(f"{command[0]}: {' '.join(done.stderr.split()) or f'exit status {done.returncode}'}")
    return done.stdout


def _keeps_accounts() -> bool:
    """Return whether Slurm has a database of accounts and finished jobs."""
    return "accounting_storage/slurmdbd" in _ask("scontrol", "show", "config")


def _requested(site: Site, name: str) -> list[str]:
    """Return the values of a resource in the profile, for all rules or for single ones."""
    resources = [site.profile.get("default-resources") or {}, *(site.profile.get("set-resources") or {}).values()]
    return [str(group[name]) for group in resources if group.get(name)]


def _gpus(gres: str) -> int:
    """Return the number of GPUs in Slurm's description of a node, like `gpu:h100:8(S:0-1)`."""
    return sum(map(int, re.findall(r"gpu(?::[^:,()]+)?:(\d+)", gres)))
