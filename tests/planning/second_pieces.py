"""Transfers of weights and of tensors in a backing memory (second_simulator.py): per tile, and shared by
several tiles."""

import copy
import itertools
from math import prod

from second_parts import hull, in_layout, moved_bytes, part_of, size_of, what_is_new


class Pieces:
    def comes_or_goes(self, tensor, way, box, number):
        if self.machine.behind and (tensor.name, way) in self.tensors_moved and size_of(box):
            self.tensors_moved[tensor.name, way].append(self.moved_behind(tensor, box))
            there = self.regions(self.positions[number])["piece" if way else "fresh"][tensor.name]
            self.staged.setdefault((tensor.name, way), []).append((number, tensor, there))

    def moved_behind(self, tensor, box):
        """Bytes of a part, and of its bursts in the backing memory."""
        behind = copy.copy(self.machine.behind)
        behind.layout = self.machine.offchip[0].layout
        stored = self.stored.get(tensor.name)
        if tensor.weight:
            held = part_of(tensor, box, stored)
            return held, -(-held // behind.burst) * behind.burst
        return moved_bytes(tensor, box, behind, None)

    def pieces_of(self, name, way, loops):
        """Transfers shared by all tiles of this many inner loops: the bytes of each part, and of the bursts
        that the previous part did not include."""
        order, pieces, before = list(self.positions[0]), [], None
        for _, tiles in itertools.groupby(self.staged[name, way], lambda one: [self.positions[one[0]][axis] for axis in order[:3 - loops]]):
            tiles = list(tiles)
            piece = hull([box for _, _, box in tiles])
            rest = what_is_new(piece, before)
            pieces.append((self.moved_behind(tiles[0][1], piece)[0], self.moved_behind(tiles[0][1], rest)[1] if rest else 0))
            before = piece
        return pieces

    def stored_size(self, name):
        """Off-chip bytes of a tensor."""
        tensor = next(t for t in self.loaded + self.leaving if t.name == name)
        shape, _ = in_layout(tensor, tuple((0, extent) for extent in tensor.shape), self.machine.offchip[0].layout)
        return prod(shape) * tensor.item
