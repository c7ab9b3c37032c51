// Infers shapes and types of a node's outputs. Private to the ONNX reader.
//
//   Inference inference(model, node);
//   for (const std::optional<Known>& made : inference.run()) ...
//
// All numbers come from an unchecked file: extents of inputs are within 0 .. max_extent (Known),
// and number() and numbers() bound attributes, so that sums and products of a few of them fit into
// 64 bits.
#pragma once

#include "io/onnx_model.h"
#include "model/say.h"
#include "tessera/network_shapes.h"

namespace tessera::io::onnx_reader {

using Shape = std::vector<Dim>;

/// Above every reasonable window, stride and number of elements, far below overflow.
inline constexpr std::int64_t max_number = max_extent;

class Inference {
 public:
  /// require: refuse_node() accepted the node; the model knows each of its inputs.
  Inference(const Model& model, const onnx::NodeProto& node);

  /// One entry per output; none if no rule applies, or if the output depends on unknown values.
  /// Throws InputError if inputs and attributes are inconsistent.
  [[nodiscard]] std::vector<std::optional<Known>> run();

  // Interface for the rules.

  template <typename... Pieces>
  [[noreturn]] void fail(const Pieces&... pieces) const {
    throw InputError(model_.file, 0, named(node_) + " " + say(pieces...));
  }
  [[nodiscard]] const onnx::NodeProto& node() const { return node_; }
  [[nodiscard]] int opset() const { return model_.opset; }
  [[nodiscard]] int inputs() const { return node_.input_size(); }
  [[nodiscard]] int outputs() const { return node_.output_size(); }
  [[nodiscard]] bool has(int position) const { return has_input(node_, position); }
  [[nodiscard]] const Shape& shape(int position) const { return in(position).shape; }
  [[nodiscard]] int type(int position) const { return in(position).type; }
  [[nodiscard]] const Constant* constant(int position) const {
    return has(position) ? model_.constant(node_.input(position)) : nullptr;
  }
  [[nodiscard]] bool has_attribute(const char* name) const {
    return attribute(node_, name) != nullptr;
  }

  /// An integer attribute; rejected outside least .. most.
  [[nodiscard]] std::int64_t number(const char* name, std::int64_t standard, std::int64_t least,
                                    std::int64_t most) const;
  /// A list of integers; by default `count` times `standard`; rejected with another count or with a
  /// value outside least .. most.
  [[nodiscard]] std::vector<std::int64_t> numbers(const char* name, std::size_t count,
                                                  std::int64_t standard, std::int64_t least,
                                                  std::int64_t most) const;
  [[nodiscard]] std::string text(const char* name, const char* standard) const {
    return text_attribute(node_, name, standard);
  }
  /// See list_of().
  [[nodiscard]] std::optional<std::vector<std::int64_t>> list(int position,
                                                              const char* name) const {
    return list_of(model_, node_, position, name);
  }
  /// Negative axes count from the end.
  [[nodiscard]] std::size_t axis(std::int64_t given, std::size_t rank) const;
  [[nodiscard]] std::size_t axis_attribute(std::int64_t standard, std::size_t rank) const {
    return axis(int_attribute(node_, "axis", standard), rank);
  }
  /// Each at most once.
  [[nodiscard]] std::vector<std::size_t> axes(const std::vector<std::int64_t>& given,
                                              std::size_t rank) const;
  void need_rank(int position, std::size_t least, std::size_t most = max_rank) const;
  [[nodiscard]] Shape broadcast(const std::vector<Shape>& shapes) const;

  /// Sets the shape and type of an output; ignored if the node omits the output.
  void make(int output, Shape shape, int type);

 private:
  [[nodiscard]] const Known& in(int position) const;

  const Model& model_;
  const onnx::NodeProto& node_;
  std::vector<std::optional<Known>> made_;
};

/// The rules, one per group of operators (onnx_operators.cpp assigns them).
namespace rules {
void same(Inference& of);           ///< like the first input
void tested(Inference& of);         ///< like the first input, boolean
void broadcast(Inference& of);      ///< broadcast of all inputs
void broadcast_old(Inference& of);  ///< arithmetic: before version 7 like the first input
void compared(Inference& of);       ///< broadcast of all inputs, boolean
void chosen(Inference& of);         ///< Where
void typed(Inference& of);          ///< like the first input, of the type `to` or `dtype`
void cast_like(Inference& of);
void along_axis(Inference& of);
void dropout(Inference& of);
void quantize(Inference& of);
void dequantize(Inference& of);
void dynamic_quantize(Inference& of);
void layer_norm(Inference& of);
void instance_norm(Inference& of);
void batch_norm(Inference& of);
void reduce(Inference& of);
void arg_reduce(Inference& of);
void matmul(Inference& of);
void gemm(Inference& of);
void einsum(Inference& of);
void recurrent(Inference& of);
void literal(Inference& of);
void filled(Inference& of);
void range(Inference& of);
void shape_of(Inference& of);
void size_of(Inference& of);
void one_hot(Inference& of);
void top_k(Inference& of);
void unknown(Inference& of);  ///< depends on values: the declared shape is used

void convolution(Inference& of);
void transposed_convolution(Inference& of);
void pool(Inference& of);
void global_pool(Inference& of);
void regions(Inference& of);  ///< RoiAlign, MaxRoiPool
void grid_sample(Inference& of);
void blocks(Inference& of);
void resize(Inference& of);

void concat(Inference& of);
void split(Inference& of);
void slice(Inference& of);
void gather(Inference& of);
void gather_elements(Inference& of);
void gather_nd(Inference& of);
void pad(Inference& of);
void reshape(Inference& of);
void flatten(Inference& of);
void squeeze(Inference& of);
void unsqueeze(Inference& of);
void expand(Inference& of);
void tile(Inference& of);
void transpose(Inference& of);
}  // namespace rules

}  // namespace tessera::io::onnx_reader
