#!/usr/bin/env python3
"""A search over machines with Optuna: minimises latency times silicon area.

    PYTHONPATH=build/release/python /usr/bin/python3 examples/optuna_search.py            # 100 trials
    PYTHONPATH=build/release/python /usr/bin/python3 examples/optuna_search.py --grid     # all 512 machines

The parameters are the on-chip memory, the cores, the bandwidth of the DRAM and its burst length. The study
is stored in optuna.sqlite in the current folder, so the same command continues it (Debian:
python3-optuna). Each trial first computes a bound with little work. If the bound is worse than the
incumbent, the machine is not planned further. This is exact, because the bound is proved.
"""

import argparse
import itertools

import tessera
from width_search import mobilenet_v2

CAPACITIES = range(64, 1025, 64)  # KiB
CORES = (1, 2)
BANDWIDTHS = range(1, 9)  # bytes per cycle
BURSTS = (64, 128)
BASE = "ethos-u65-256"


def area(capacity, cores, bandwidth):
    """mm2, assumed: 0.8 per MiB, 0.6 per core of 256 multipliers, 0.05 for pins and PHY per byte per cycle."""
    return 0.8 * capacity / 1024 + 0.6 * cores + 0.05 * bandwidth


class Machines:
    """Latency x area of a machine, relative to the base's latency: smaller is better."""

    def __init__(self):
        self.network = mobilenet_v2(0.5, 128)
        self.hardware = tessera.load_profile(BASE)
        self.memory = tessera.PlanMemory()
        self.planned = 0

    def plan(self, capacity, cores, bandwidth, burst, **effort):
        self.hardware.update({"memories.sram.capacity": f"{capacity} KiB", "engines.mac.cores": cores,
                              "memories.dram.bandwidth": f"{bandwidth} B/cycle", "memories.dram.burst": burst})
        return tessera.plan(self.network, self.hardware, weights={"latency": 1}, reference=BASE, max_ops=3,
                            tile_shapes=8, memory=self.memory, **effort)

    def bound(self, capacity, cores, bandwidth, burst):
        plan = self.plan(capacity, cores, bandwidth, burst, work=1)
        return plan.bound * area(capacity, cores, bandwidth)

    def merit(self, capacity, cores, bandwidth, burst):
        """None if the network has no plan."""
        self.planned += 1
        plan = self.plan(capacity, cores, bandwidth, burst)
        return plan.score * area(capacity, cores, bandwidth) if plan.status == "feasible" else None


def search(machines, trials, seed, storage):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(study_name=f"machines-{seed}", storage=storage, load_if_exists=True,
                                sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=25))

    def objective(trial):
        machine = (trial.suggest_int("capacity", CAPACITIES[0], CAPACITIES[-1], step=CAPACITIES.step),
                   trial.suggest_categorical("cores", CORES),
                   trial.suggest_int("bandwidth", BANDWIDTHS[0], BANDWIDTHS[-1]),
                   trial.suggest_categorical("burst", BURSTS))
        # This study has evaluated the same machine already.
        for other in trial.study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,)):
            if other.params == trial.params:
                return other.value
        bound = machines.bound(*machine)
        trial.report(bound, step=0)
        done = [t for t in study.get_trials(deepcopy=False) if t.state == optuna.trial.TrialState.COMPLETE]
        if done and bound >= study.best_value:
            raise optuna.TrialPruned()
        value = machines.merit(*machine)
        if value is None:
            raise optuna.TrialPruned()
        return value

    study.optimize(objective, n_trials=max(0, trials - len(study.trials)))
    return study.best_value, study.best_params


def grid(machines):
    best = None
    for machine in itertools.product(CAPACITIES, CORES, BANDWIDTHS, BURSTS):
        value = machines.merit(*machine)
        if value is not None and (best is None or value < best[0]):
            best = (value, dict(zip(("capacity", "cores", "bandwidth", "burst"), machine)))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--storage", default="sqlite:///optuna.sqlite")
    parser.add_argument("--grid", action="store_true", help="plan every machine, for comparison")
    options = parser.parse_args()
    machines = Machines()
    value, machine = grid(machines) if options.grid else search(machines, options.trials, options.seed, options.storage)
    print(f"{value:.4f} mm2 x latency of {BASE}: " + ", ".join(f"{k} {v}" for k, v in machine.items()) +
          f" ({machines.planned} machines planned)")


if __name__ == "__main__":
    main()
