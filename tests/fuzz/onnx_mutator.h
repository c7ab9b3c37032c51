// Random changes of ONNX messages that keep them messages: nodes, edges, attributes, types,
// operator sets, initializers, extents, names, and content that the reader always rejects.
//
//   OnnxMutator mutator(onnx_seeds(), 7);
//   onnx::ModelProto model = mutator.start();
//   mutator.mutate(model);                       // reproducible by the seed on every machine
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/onnx_seeds.h"
#include "tests/support/random.h"

namespace tessera::fuzz {

class OnnxMutator {
 public:
  OnnxMutator(const std::vector<onnx::ModelProto>& seeds, std::uint64_t seed)
      : seeds_(seeds), random_(seed) {}

  [[nodiscard]] const onnx::ModelProto& start() { return random_.pick(seeds_); }
  /// One to eight changes.
  void mutate(onnx::ModelProto& model);

 private:
  void change(onnx::ModelProto& model);
  void node(onnx::GraphProto& graph);
  void edge(onnx::GraphProto& graph);
  void attributes(onnx::GraphProto& graph);
  void attribute(onnx::AttributeProto& attribute);
  void initializer(onnx::GraphProto& graph);
  void tensor(onnx::TensorProto& tensor);
  void value(onnx::GraphProto& graph);
  void shape(onnx::ValueInfoProto& info);
  void splice(onnx::GraphProto& graph);
  void version(onnx::ModelProto& model);
  void names(onnx::GraphProto& graph);
  void refused(onnx::ModelProto& model);

  std::int64_t number();
  std::int64_t extent();
  std::string tensor_name(const onnx::GraphProto& graph);
  const onnx::NodeProto& foreign_node();
  template <typename List>
  int any(const List& list) {
    return static_cast<int>(random_.below(static_cast<std::size_t>(list.size())));
  }

  const std::vector<onnx::ModelProto>& seeds_;
  testing::Random random_;
};

}  // namespace tessera::fuzz
