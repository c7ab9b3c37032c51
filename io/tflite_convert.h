// Converts a TensorFlow Lite model to a Network. Private to the TensorFlow Lite reader.
//
// In the file images are N, H, W, C; in a network N, C, H, W. Every tensor with four axes is
// transposed, independent of its content, and so are the axes that operators name; the function
// stays the same. If the order of the elements matters, as in reshapes, a transpose restores it,
// unless it moves no element, as with one pixel or one channel.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/tflite_model.h"
#include "model/poll.h"
#include "tessera/network.h"

namespace tessera::io::tflite_reader {

using Shape = std::vector<Dim>;

/// Index in the network of an axis of the file.
[[nodiscard]] std::size_t turned_axis(std::size_t rank, std::size_t axis);
/// Shape in the network for a shape in the file.
[[nodiscard]] Shape turned(const Shape& shape);
/// Does transposing leave the order of the elements unchanged?
[[nodiscard]] bool same_order(const Shape& shape);

class TfliteConverter {
 public:
  TfliteConverter(const TfliteModel& model, const std::string& file, const Budget& budget);
  [[nodiscard]] Network convert();
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  using Convert = void (TfliteConverter::*)(const TfliteOperator&, Op&);
  struct Entry {
    const char* type;
    Convert convert;
    int least_inputs;
  };
  static const Entry* entry_of(const std::string& type);

  [[noreturn]] void fail(const TfliteOperator& from, const std::string& what) const;
  [[nodiscard]] const TfliteTensor& in_file(TfliteIndex t) const {
    return model_.tensors[static_cast<std::size_t>(t)];
  }
  [[nodiscard]] const Shape& file_shape(TfliteIndex t) const { return in_file(t).shape; }
  [[nodiscard]] const Shape& made(const TfliteOperator& from) const {
    return file_shape(from.outputs[0]);
  }
  [[nodiscard]] static bool has(const TfliteOperator& from, std::size_t position) {
    return position < from.inputs.size() && from.inputs[position] >= 0;
  }
  [[nodiscard]] bool is_constant(TfliteIndex t) const {
    return constant_[static_cast<std::size_t>(t)];
  }

  /// Tensors that are the first input of such operators only, and no result.
  template <typename Reader>
  [[nodiscard]] std::vector<bool> read_only_by(Reader reader) const;

  // Tensors of the network.
  [[nodiscard]] std::string unique(const std::string& name);
  [[nodiscard]] TensorIndex add(TfliteIndex like, const std::string& name, Shape shape,
                                TensorKind kind = TensorKind::activation);
  /// The tensor, with its axes in network order.
  [[nodiscard]] TensorIndex tensor(TfliteIndex t);
  [[nodiscard]] TensorIndex input(const TfliteOperator& from, std::size_t position) {
    return tensor(from.inputs[position]);
  }
  /// A constant, with the axes its operator needs. `axes`: the place of each axis of the file.
  using Axes = std::vector<std::size_t>;
  [[nodiscard]] TensorIndex weight(TfliteIndex t, Shape shape, const Axes& axes);
  /// The places of the axes after turned(), behind `more` new axes in front.
  [[nodiscard]] static Axes turned_axes(std::size_t rank, std::size_t more = 0);
  /// The tensor with the scales of `like`; an op between if it has others.
  [[nodiscard]] TensorIndex rescaled(TensorIndex of, TfliteIndex like);
  /// `Own`: the name is that of this tensor in the file; otherwise it is made unique.
  enum class Own : bool { no, yes };
  [[nodiscard]] TensorIndex view(TensorIndex of, const Shape& shape, const std::string& name,
                                 Own own = Own::no);
  void set(TfliteIndex t, TensorIndex in_network) {
    made_[static_cast<std::size_t>(t)] = in_network;
  }
  /// Reshapes a tensor that has the axes of `from` in the file to the axes of `to`.
  [[nodiscard]] TensorIndex reshaped(TensorIndex of, const Shape& from, const Shape& to,
                                     const std::string& name, Own own = Own::no);
  /// The tensor in file order.
  [[nodiscard]] TensorIndex plain(TensorIndex of, const Shape& from);
  [[nodiscard]] TensorIndex from_plain(TensorIndex of, const Shape& to, const std::string& name,
                                       Own own);
  [[nodiscard]] TensorIndex transposed(TensorIndex of, std::vector<std::size_t> order,
                                       const std::string& name, Own own = Own::no);

  [[nodiscard]] std::int32_t option(const TfliteOperator& from, unsigned field,
                                    std::int32_t otherwise = 0) const;
  [[nodiscard]] int small_option(const TfliteOperator& from, unsigned field) const;
  /// The numbers of a constant; none if it is no constant, or larger than any list of axes.
  [[nodiscard]] std::optional<std::vector<Dim>> list(const TfliteOperator& from,
                                                     std::size_t position) const;
  /// Non-negative, in file order.
  [[nodiscard]] std::size_t axis_in(const TfliteOperator& from, std::size_t rank, Dim axis) const;
  [[nodiscard]] const Shape& image(const TfliteOperator& from, std::size_t position) const;
  void same_padding(const TfliteOperator& from, Op& op, const Shape& in, const Shape& out);
  /// The image an operator reads; if padding was added only for convolutions, the unpadded image.
  [[nodiscard]] TensorIndex padded_image(const TfliteOperator& from, Op& op);
  void windows(const TfliteOperator& from, Op& op, unsigned stride_w, unsigned dilation_w);
  /// The activation function of the result; empty: none.
  [[nodiscard]] std::string activation(const TfliteOperator& from, unsigned field) const;

  // Ops of the network.
  void finish(const TfliteOperator& from, Op& op, const std::string& function = {});
  void push(Op op) { net_.ops.push_back(std::move(op)); }
  void alias(const TfliteOperator& from) { copy(from, input(from, 0), file_shape(from.inputs[0])); }
  void copy(const TfliteOperator& from, TensorIndex of, const Shape& shape);
  void unknown(const TfliteOperator& from, Op& op, const std::string& why);
  void piece(const TfliteOperator& from, std::size_t output, std::size_t input, const Shape& begins,
             const Shape& steps, const Shape& extents);

  // One per kind of operator.
  void convolution(const TfliteOperator& from, Op& op);
  void depthwise(const TfliteOperator& from, Op& op);
  void transpose_convolution(const TfliteOperator& from, Op& op);
  void pool(const TfliteOperator& from, Op& op);
  void fully_connected(const TfliteOperator& from, Op& op);
  void batch_matmul(const TfliteOperator& from, Op& op);
  void elementwise(const TfliteOperator& from, Op& op);
  void last_axis(const TfliteOperator& from, Op& op);
  void reduce(const TfliteOperator& from, Op& op);
  void concat(const TfliteOperator& from, Op& op);
  void pack(const TfliteOperator& from, Op& op);
  void unpack(const TfliteOperator& from, Op& op);
  void split(const TfliteOperator& from, Op& op);
  void slice(const TfliteOperator& from, Op& op);
  void strided_slice(const TfliteOperator& from, Op& op);
  void pad(const TfliteOperator& from, Op& op);
  void resize(const TfliteOperator& from, Op& op);
  void reshape(const TfliteOperator& from, Op& op);
  void transpose(const TfliteOperator& from, Op& op);
  void blocks(const TfliteOperator& from, Op& op);

  const TfliteModel& model_;
  const std::string& file_;
  Poll poll_;
  Network net_;
  std::vector<std::optional<TensorIndex>> made_;  ///< per tensor of the file
  std::map<std::pair<TfliteIndex, Shape>, TensorIndex> weights_;
  std::map<TensorIndex, TensorIndex> plain_;  ///< tensors transposed back to file order
  std::vector<bool> constant_;
  /// read by FULLY_CONNECTED only, whose weights can be in any order
  std::vector<bool> only_rows_;
  std::vector<bool> only_convolved_;  ///< read only by convolutions, which pad themselves
  struct Padded {
    TfliteIndex image;
    Shape begin;
    Shape end;
  };
  std::map<TfliteIndex, Padded> padded_;
  std::unordered_set<std::string> taken_;  ///< names of tensors
  std::unordered_set<std::string> op_names_;
  std::map<std::string, std::pair<std::string, int>> unknown_;  ///< key -> first, count
  std::string name_;                                            ///< of the current op
};

}  // namespace tessera::io::tflite_reader
