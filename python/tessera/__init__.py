"""Decides where every buffer of a neural network lives in an accelerator's memory.

    >>> import tessera
    >>> p = tessera.place([4, 8, 4], lower=[0, 1, 2], upper=[2, 2, 4], capacity=12)
    >>> p.status, p.height
    ('feasible', 12)

Placing buffers:    place, Session, load_problem
Planning networks:  plan, tile, load_network, NetworkBuilder, load_profile, profiles
Ordering ops:       order, schedule
Many machines:      explore

Every answer has passed an independent checker before it is seen. That nothing fits, and that a
limit came first, is the `status` of a result; wrong arguments raise BadInput.
"""

import os as _os

# Profiles of the package.
_shelf = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "profiles")

from ._tessera import (  # noqa: E402
    BadInput,
    Exploration,
    InternalError,
    Network,
    Order,
    OutputError,
    PlaceProgress,
    Placement,
    Plan,
    PlanMemory,
    PlanProgress,
    Problem,
    Profile,
    Schedule,
    Session,
    Tile,
    __version__,
    explore,
    load_network,
    load_problem,
    load_profile,
    order,
    place,
    plan,
    profiles,
    schedule,
    tile,
)
from .builder import NetworkBuilder, Tensor

__all__ = [
    "BadInput",
    "Exploration",
    "InternalError",
    "Network",
    "NetworkBuilder",
    "Order",
    "OutputError",
    "PlaceProgress",
    "Placement",
    "Plan",
    "PlanMemory",
    "PlanProgress",
    "Problem",
    "Profile",
    "Schedule",
    "Session",
    "Tensor",
    "Tile",
    "__version__",
    "explore",
    "load_network",
    "load_problem",
    "load_profile",
    "order",
    "place",
    "plan",
    "profiles",
    "schedule",
    "tile",
]
