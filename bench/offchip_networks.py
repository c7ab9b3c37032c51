"""Writes the networks of the table of tile-aware allocation as network YAML (docs/reference/networks.md).

    python3 bench/offchip_networks.py FOLDER             writes FOLDER/inception_v3.yaml and others
    tessera import FOLDER/inception_v3.yaml              prints their totals

Weights have shapes and no values, batch norms are folded into the convolutions, activations are fused, and
training-only parts (dropout, auxiliary heads) are omitted. The architectures are those of

    MobileNet v1    Howard et al., arXiv:1704.04861, table 1
    MobileNet v2    Sandler et al., arXiv:1801.04381, table 2
    SqueezeNet 1.0  Iandola et al., arXiv:1602.07360, table 1, of 227 x 227 pixels
    SqueezeNet 1.1  Iandola et al., arXiv:1602.07360, table 1, with the changes of release 1.1
    Inception v3    Szegedy et al., arXiv:1512.00567, table 1 and figures 5 to 7
    Inception v4    Szegedy et al., arXiv:1602.07261, figures 3 to 9
    ResNet v2 101   He et al., arXiv:1603.05027, figure 1 (pre-activation), arXiv:1512.03385, table 1
    MNASNet 1.3     Tan et al., arXiv:1807.11626, figure 7, without squeeze and excitation; channels
                    times 1.3 in multiples of 8
    FSRCNN          Dong et al., arXiv:1608.00367, (56, 12, 4), twice as large in each direction. An
                    array stores channels in groups of 32, so 56 are 64 and 12 are 32; of 512 x 512
                    pixels the large tensors then take 16777216 and 8388608 bytes, as published.
                    `fsrcnn_prelu`: PReLU is an op of its own, as in TensorFlow Lite
"""

import sys
from pathlib import Path


class Net:
    """Ops in order; a tensor is its name, its shape (channels, height, width) is stored separately."""

    def __init__(self, name, channels, height, width):
        self.name, self.ops, self.weights = name, [], []
        self.shape = {"x": (channels, height, width)}
        self.first = (channels, height, width)

    def op(self, kind, inputs, shape, **keys):
        out = f"t{len(self.ops)}"
        words = "".join(f", {key}: {value}" for key, value in keys.items())
        self.ops.append(f"  - {{name: op{len(self.ops)}, type: {kind}, inputs: [{', '.join(inputs)}], "
                        f"output: {out}{words}}}")
        self.shape[out] = shape
        return out

    @staticmethod
    def window(size, kernel, stride, same):
        """Output extent, and padding before and after; the odd pixel after."""
        if not same:
            return (size - kernel) // stride + 1, 0, 0
        out = -(-size // stride)
        pads = max(0, (out - 1) * stride + kernel - size)
        return out, pads // 2, pads - pads // 2

    def conv(self, x, k, kernel=1, stride=1, same=True, depthwise=False, relu=True):
        c, h, w = self.shape[x]
        r, s = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        oh, top, bottom = self.window(h, r, stride, same)
        ow, left, right = self.window(w, s, stride, same)
        k, per_group, keys = (c, 1, {"groups": c}) if depthwise else (k, c, {})
        if relu:
            keys["fused"] = "[relu]"
        return self.op("conv", [x], (k, oh, ow),
                       weights=f"[{{shape: [{k}, {per_group}, {r}, {s}], dtype: int8}}, "
                               f"{{shape: [{k}], dtype: int32}}]",
                       stride=[stride, stride], pad=[top, left, bottom, right], **keys)

    def pool(self, x, kernel, stride, same=False, kind="max_pool"):
        c, h, w = self.shape[x]
        oh, top, bottom = self.window(h, kernel, stride, same)
        ow, left, right = self.window(w, kernel, stride, same)
        return self.op(kind, [x], (c, oh, ow), kernel=[kernel, kernel], stride=[stride, stride],
                       pad=[top, left, bottom, right])

    def concat(self, *parts):
        return self.op("concat", parts, (sum(self.shape[x][0] for x in parts), *self.shape[parts[0]][1:]),
                       axes="[1]")

    def add(self, a, b):
        return self.op("add", [a, b], self.shape[a])

    def each(self, kind, x):
        return self.op(kind, [x], self.shape[x])

    def prelu(self, x):
        slope = f"slope{len(self.ops)}"
        self.weights.append(f"  {slope}: {{shape: [{self.shape[x][0]}, 1, 1], dtype: int8, kind: weight}}")
        return self.op("elementwise", [x, slope], self.shape[x], function="prelu")

    def pooled(self, x):
        return self.op("global_average_pool", [x], (self.shape[x][0], 1, 1))

    def twice(self, x, k, kernel):
        """A transposed convolution to twice the height and width."""
        c, h, w = self.shape[x]
        pad = kernel // 2
        return self.op("conv_transpose", [x], (k, 2 * h, 2 * w),
                       weights=f"[{{shape: [{c}, {k}, {kernel}, {kernel}], dtype: int8}}, {{shape: [{k}], dtype: int32}}]",
                       stride=[2, 2], pad=[pad] * 4, output_padding=[1, 1])

    def text(self, out):
        shape = ", ".join(map(str, (1, *self.first)))
        weights = "".join(line + "\n" for line in self.weights)
        return (f"tessera: network/1\nname: {self.name}\ntensors:\n  x: {{shape: [{shape}], dtype: int8}}\n{weights}"
                "inputs: [x]\nops:\n" + "\n".join(self.ops) + f"\noutputs: [{out}]\n")


def classes(net, x, count=1000):
    return net.conv(net.pooled(x), count, relu=False)


def mobilenet_v1():
    net = Net("mobilenet_v1", 3, 224, 224)
    x = net.conv("x", 32, 3, 2)
    for k, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1),
                      (512, 1), (512, 1), (1024, 2), (1024, 1)):
        x = net.conv(net.conv(x, 0, 3, stride, depthwise=True), k)
    return net.text(classes(net, x))


def inverted(net, x, k, kernel, stride, expand):
    """Wide, depthwise, narrow; with the input added if the shapes are equal."""
    y = net.conv(x, expand * net.shape[x][0]) if expand > 1 else x
    y = net.conv(net.conv(y, 0, kernel, stride, depthwise=True), k, relu=False)
    return net.add(x, y) if net.shape[x] == net.shape[y] else y


def mobilenet_v2():
    net = Net("mobilenet_v2", 3, 224, 224)
    x = net.conv("x", 32, 3, 2)
    for expand, k, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                     (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            x = inverted(net, x, k, 3, stride if i == 0 else 1, expand)
    return net.text(classes(net, net.conv(x, 1280)))


def mnasnet_1_3():
    net = Net("mnasnet_1_3", 3, 224, 224)

    def wide(k):
        rounded = max(8, int(1.3 * k + 4) // 8 * 8)
        return rounded if rounded >= 0.9 * 1.3 * k else rounded + 8

    x = net.conv("x", wide(32), 3, 2)
    x = net.conv(net.conv(x, 0, 3, depthwise=True), wide(16), relu=False)
    for expand, kernel, k, count, stride in ((3, 3, 24, 3, 2), (3, 5, 40, 3, 2), (6, 5, 80, 3, 2), (6, 3, 96, 2, 1),
                                             (6, 5, 192, 4, 2), (6, 3, 320, 1, 1)):
        for i in range(count):
            x = inverted(net, x, wide(k), kernel, stride if i == 0 else 1, expand)
    return net.text(classes(net, net.conv(x, 1280)))


def squeezenet(net, x, pooled):
    """From the first convolution; `pooled`: the modules after which there is a pool."""
    x = net.pool(x, 3, 2)
    for i, squeeze in enumerate((16, 16, 32, 32, 48, 48, 64, 64)):
        if i in pooled:
            x = net.pool(x, 3, 2)
        x = net.conv(x, squeeze)
        x = net.concat(net.conv(x, 4 * squeeze), net.conv(x, 4 * squeeze, 3))
    return net.text(net.pooled(net.conv(x, 1000)))


def squeezenet1_0():
    net = Net("squeezenet1_0", 3, 227, 227)
    return squeezenet(net, net.conv("x", 96, 7, 2, same=False), (3, 7))


def squeezenet1_1():
    net = Net("squeezenet1_1", 3, 224, 224)
    return squeezenet(net, net.conv("x", 64, 3, 2, same=False), (2, 4))


def chain(net, x, *convs):
    for k, kernel in convs:
        x = net.conv(x, k, kernel)
    return x


def inception_v3():
    net = Net("inception_v3", 3, 299, 299)
    x = net.conv("x", 32, 3, 2, same=False)
    x = net.conv(net.conv(x, 32, 3, same=False), 64, 3)
    x = net.pool(x, 3, 2)
    x = net.pool(net.conv(net.conv(x, 80), 192, 3, same=False), 3, 2)
    for pooled in (32, 64, 64):
        x = net.concat(net.conv(x, 64), chain(net, x, (48, 1), (64, 5)),
                       chain(net, x, (64, 1), (96, 3), (96, 3)),
                       net.conv(net.pool(x, 3, 1, True, "average_pool"), pooled))
    x = net.concat(net.conv(x, 384, 3, 2, same=False),
                   net.conv(chain(net, x, (64, 1), (96, 3)), 96, 3, 2, same=False), net.pool(x, 3, 2))
    for k in (128, 160, 160, 192):
        x = net.concat(net.conv(x, 192), chain(net, x, (k, 1), (k, (1, 7)), (192, (7, 1))),
                       chain(net, x, (k, 1), (k, (7, 1)), (k, (1, 7)), (k, (7, 1)), (192, (1, 7))),
                       net.conv(net.pool(x, 3, 1, True, "average_pool"), 192))
    x = net.concat(net.conv(net.conv(x, 192), 320, 3, 2, same=False),
                   net.conv(chain(net, x, (192, 1), (192, (1, 7)), (192, (7, 1))), 192, 3, 2, same=False),
                   net.pool(x, 3, 2))
    for _ in range(2):
        a, b = net.conv(x, 384), chain(net, x, (448, 1), (384, 3))
        x = net.concat(net.conv(x, 320), net.conv(a, 384, (1, 3)), net.conv(a, 384, (3, 1)),
                       net.conv(b, 384, (1, 3)), net.conv(b, 384, (3, 1)),
                       net.conv(net.pool(x, 3, 1, True, "average_pool"), 192))
    return net.text(classes(net, x))


def inception_v4():
    net = Net("inception_v4", 3, 299, 299)
    x = net.conv(net.conv(net.conv("x", 32, 3, 2, same=False), 32, 3, same=False), 64, 3)
    x = net.concat(net.pool(x, 3, 2), net.conv(x, 96, 3, 2, same=False))
    x = net.concat(net.conv(net.conv(x, 64), 96, 3, same=False),
                   net.conv(chain(net, x, (64, 1), (64, (7, 1)), (64, (1, 7))), 96, 3, same=False))
    x = net.concat(net.conv(x, 192, 3, 2, same=False), net.pool(x, 3, 2))
    for _ in range(4):
        x = net.concat(net.conv(net.pool(x, 3, 1, True, "average_pool"), 96), net.conv(x, 96),
                       chain(net, x, (64, 1), (96, 3)), chain(net, x, (64, 1), (96, 3), (96, 3)))
    x = net.concat(net.pool(x, 3, 2), net.conv(x, 384, 3, 2, same=False),
                   net.conv(chain(net, x, (192, 1), (224, 3)), 256, 3, 2, same=False))
    for _ in range(7):
        x = net.concat(net.conv(net.pool(x, 3, 1, True, "average_pool"), 128), net.conv(x, 384),
                       chain(net, x, (192, 1), (224, (1, 7)), (256, (7, 1))),
                       chain(net, x, (192, 1), (192, (1, 7)), (224, (7, 1)), (224, (1, 7)), (256, (7, 1))))
    x = net.concat(net.pool(x, 3, 2), net.conv(net.conv(x, 192), 192, 3, 2, same=False),
                   net.conv(chain(net, x, (256, 1), (256, (1, 7)), (320, (7, 1))), 320, 3, 2, same=False))
    for _ in range(3):
        a, b = net.conv(x, 384), chain(net, x, (384, 1), (448, (1, 3)), (512, (3, 1)))
        x = net.concat(net.conv(net.pool(x, 3, 1, True, "average_pool"), 256), net.conv(x, 256),
                       net.conv(a, 256, (1, 3)), net.conv(a, 256, (3, 1)),
                       net.conv(b, 256, (1, 3)), net.conv(b, 256, (3, 1)))
    return net.text(classes(net, x))


def resnet_v2_101():
    net = Net("resnet_v2_101", 3, 299, 299)
    x = net.pool(net.conv("x", 64, 7, 2, relu=False), 3, 2, same=True)
    for k, count, stride in ((64, 3, 1), (128, 4, 2), (256, 23, 2), (512, 3, 2)):
        for i in range(count):
            y = net.each("relu", x)
            step = stride if i == 0 else 1
            short = net.conv(y, 4 * k, 1, step, relu=False) if i == 0 else x
            x = net.add(short, net.conv(net.conv(net.conv(y, k), k, 3, step), 4 * k, relu=False))
    return net.text(classes(net, net.each("relu", x)))


def fsrcnn(own_prelu):
    net = Net("fsrcnn_prelu" if own_prelu else "fsrcnn", 1, 512, 512)

    def layer(x, k, kernel):
        return net.prelu(net.conv(x, k, kernel, relu=False)) if own_prelu else net.conv(x, k, kernel)

    x = layer(layer("x", 64, 5), 32, 1)
    for _ in range(4):
        x = layer(x, 32, 3)
    return net.text(net.twice(layer(x, 64, 1), 1, 9))


NETWORKS = {"inception_v3": inception_v3, "inception_v4": inception_v4, "mobilenet_v1": mobilenet_v1,
            "mobilenet_v2": mobilenet_v2, "resnet_v2_101": resnet_v2_101, "squeezenet1_0": squeezenet1_0,
            "squeezenet1_1": squeezenet1_1,
            "mnasnet_1_3": mnasnet_1_3, "fsrcnn": lambda: fsrcnn(False), "fsrcnn_prelu": lambda: fsrcnn(True)}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__.strip())
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in NETWORKS.items():
        (folder / f"{name}.yaml").write_text(make())


if __name__ == "__main__":
    main()
