// A neural network: tensors with shapes, and ops in execution order.
//
//   Network net = read_network("resnet50.onnx", {}).network;        // import.h
//   for (const Op& op : net.ops)
//     std::cout << op.name << ' ' << to_string(op.kind) << '\n';
//
// Plain values. check_network() (network_shapes.h) lists the errors of a network; all other
// functions require an empty list. Tensors are row-major in the order of their axes. A view is a
// tensor without own storage: another shape of the elements of its source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "units.h"

namespace tessera {

using TensorIndex = std::size_t;  ///< position in Network::tensors
using OpIndex = std::size_t;      ///< position in Network::ops, which is the execution order
using Dim = std::int64_t;

/// Element types.
enum class ElementType : std::uint8_t {
  float64,
  float32,
  float16,
  bfloat16,
  int64,
  int32,
  int16,
  int8,
  int4,  ///< weights only, two per byte
  uint64,
  uint32,
  uint16,
  uint8,
  uint4,  ///< weights only, two per byte
  boolean,
};

/// Activations are computed or given; weights are constant.
enum class TensorKind : std::uint8_t {
  activation,
  weight,  ///< constant: filters, biases, tables
};

/// A tensor stored off-chip as channels (axis 1) of another tensor; all other axes are equal.
struct JoinedPlace {
  TensorIndex whole = 0;  ///< the tensor that contains it
  Dim begin = 0;          ///< first channel
  Dim channels = 1;       ///< channels of `whole`
  bool alike = false;     ///< its parts have the same bursts as a separate tensor here
  friend bool operator==(const JoinedPlace&, const JoinedPlace&) = default;
};

/// Element q of a tensor stands for the number (q - zero_point) * scale. One entry for all
/// elements, or one per index of `axis`.
struct Quantization {
  std::vector<double> scale;             ///< positive
  std::vector<std::int64_t> zero_point;  ///< as many as scales
  std::size_t axis = 0;
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

/// A tensor.
struct Tensor {
  std::string name;
  std::vector<Dim> shape;  ///< every extent at least 1; empty: a scalar
  ElementType type = ElementType::float32;
  TensorKind kind = TensorKind::activation;
  std::optional<TensorIndex> view_of;        ///< same elements in the same order, another shape
  std::optional<Quantization> quantization;  ///< integer types; none: elements are the numbers
  /// Bytes of the whole weight on machines that keep weights encoded (Hardware::coding).
  std::optional<Size> encoded;
  /// Off-chip place inside the output of a concatenation. plan_network() sets it; callers leave it
  /// empty.
  std::optional<JoinedPlace> joined;
  /// For a pinned weight, its on-chip memory, counting on-chip memories only. plan_network() sets
  /// it; callers leave it empty.
  std::optional<std::size_t> pinned;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// The kinds of ops, with their inputs and attributes.
enum class OpKind : std::uint8_t {
  conv,            ///< inputs x, weights, [bias]; any number of spatial axes
  conv_transpose,  ///< inputs x, weights, [bias]
  max_pool,
  average_pool,
  reduce,          ///< over `axes`; `function` mean, sum, max, ...; includes global pools
  matmul,          ///< inputs a, b, [bias broadcast onto the output]
  elementwise,     ///< any number of inputs, broadcast; `function` add, relu, gelu, ...
  softmax,         ///< over `axes`
  normalize,       ///< over `axes`; inputs x, [scale, bias]: layer and instance norms
  batch_norm,      ///< inputs x and per-channel (axis 1) vectors; batch norms that were not folded
  concat,          ///< along axes[0]
  slice,           ///< `begins` and `steps` on `axes`
  pad,             ///< `pad_begin` and `pad_end`, one per axis of the tensor; may be negative
  resize,          ///< nearest or linear by `resize`
  reshape,         ///< with a copy; reshapes without a copy are views
  transpose,       ///< `permutation` as in numpy
  depth_to_space,  ///< `block`
  space_to_depth,  ///< `block`
  opaque,          ///< unknown op: needs all of its inputs and makes all of its outputs
};

/// How a resize selects source elements. Coordinates are exact rationals, so the region of a tile
/// is exact too.
struct ResizeRule {
  bool linear = false;  ///< else nearest
  enum class Coordinates : std::uint8_t {
    half_pixel,
    pytorch_half_pixel,
    asymmetric,
    align_corners
  };
  Coordinates coordinates = Coordinates::half_pixel;
  enum class Nearest : std::uint8_t { round_prefer_floor, round_prefer_ceil, floor, ceil };
  Nearest nearest = Nearest::round_prefer_floor;
  friend bool operator==(const ResizeRule&, const ResizeRule&) = default;
};

/// A function applied to each element of an op's output before it is written.
struct Fused {
  std::string function;               ///< relu, clip, gelu, prelu, mul, ...
  std::vector<TensorIndex> operands;  ///< further operands, broadcast onto the value
  friend bool operator==(const Fused&, const Fused&) = default;
};

/// Attributes that the kind of op does not use have their default values.
struct Op {
  std::string name;
  OpKind kind = OpKind::opaque;
  std::string function;  ///< of reduce and elementwise; of opaque: the original operator type
  std::vector<TensorIndex> inputs;   ///< activations and weights in the order of the kind
  std::vector<TensorIndex> outputs;  ///< one; several for opaque only
  std::vector<Fused> fused;          ///< in order

  // conv, conv_transpose, pools: one entry per spatial axis
  std::vector<Dim> kernel;
  std::vector<Dim> stride;
  std::vector<Dim> dilation;
  std::vector<Dim> pad_begin;  ///< also pad: one entry per axis of the tensor
  std::vector<Dim> pad_end;
  std::vector<Dim> output_padding;  ///< conv_transpose
  Dim groups = 1;
  bool ceil_mode = false;  ///< pools: the last window may extend beyond the input

  std::vector<std::size_t> axes;  ///< reduce, softmax, normalize, concat, slice
  bool keep_dims = true;          ///< reduce
  std::vector<Dim> begins;        ///< slice: one per entry of `axes`, inside the tensor
  std::vector<Dim> steps;         ///< slice: at least 1
  std::vector<Dim> extents;       ///< slice (per entry of `axes`), reshape and resize (per axis):
                                  ///< of the output
  std::vector<std::size_t> permutation;
  Dim block = 1;
  bool depth_first = true;  ///< depth_to_space: DCR; else CRD
  bool transpose_a = false;
  bool transpose_b = false;
  ResizeRule resize;
  friend bool operator==(const Op&, const Op&) = default;
};

/// A network; see check_network() for its invariants.
struct Network {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Op> ops;  ///< every op comes after the producers of its inputs
  std::vector<TensorIndex> inputs;
  std::vector<TensorIndex> outputs;
  friend bool operator==(const Network&, const Network&) = default;
};

/// A group of consecutive ops: first and last op, inclusive.
struct OpRange {
  OpIndex first = 0;
  OpIndex last = 0;
  friend auto operator<=>(const OpRange&, const OpRange&) = default;
  [[nodiscard]] constexpr std::size_t size() const { return last - first + 1; }
};

/// Bytes of a single element; 1 for a 4-bit type.
[[nodiscard]] TESSERA_API Size element_bytes(ElementType type);
[[nodiscard]] TESSERA_API Size element_bits(ElementType type);
/// Bytes of `elements` packed elements, rounded up.
[[nodiscard]] TESSERA_API Size packed_bytes(ElementType type, std::int64_t elements);
/// The type with whole bytes per element: int8 for int4.
[[nodiscard]] TESSERA_API ElementType unpacked(ElementType type);
/// The type of biases added to products of this type: int32 for integers of up to 16 bits, else the
/// type itself.
[[nodiscard]] TESSERA_API ElementType bias_type(ElementType type);
/// Is it a floating-point type?
[[nodiscard]] TESSERA_API bool is_floating(ElementType type);

/// Names of types and kinds, and the inverse functions; nothing for an unknown name.
[[nodiscard]] TESSERA_API std::string_view to_string(ElementType type);
[[nodiscard]] TESSERA_API std::string_view to_string(OpKind kind);
[[nodiscard]] TESSERA_API std::optional<ElementType> element_type_from(std::string_view text);
[[nodiscard]] TESSERA_API std::optional<OpKind> op_kind_from(std::string_view text);

/// Number of elements, 1 for a scalar; nothing if it exceeds max_address.
[[nodiscard]] TESSERA_API std::optional<std::int64_t> element_count(const std::vector<Dim>& shape);
/// Bytes of the elements without encoding.
/// require: check_network(network) is empty.
[[nodiscard]] TESSERA_API Size tensor_bytes(const Tensor& tensor);

/// The tensor that holds the storage of a view; the tensor itself if it is not a view.
[[nodiscard]] TESSERA_API TensorIndex storage_of(const Network& network, TensorIndex tensor);

/// Inputs and operands of fused functions in this order, each tensor as often as it is used.
[[nodiscard]] TESSERA_API std::vector<TensorIndex> operands(const Op& op);

}  // namespace tessera
