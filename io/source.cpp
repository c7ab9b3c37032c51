#include "io/source.h"

namespace tessera::io {
namespace {

std::size_t entry(const std::vector<std::size_t>& lines, std::size_t index, std::size_t otherwise) {
  return index < lines.size() ? lines[index] : otherwise;
}

}  // namespace

std::size_t line_of(const SourceMap& source, const Defect& defect) {
  switch (defect.part) {
    case ProblemPart::problem:
      return source.problem_line;
    case ProblemPart::memory:
      return entry(source.memories, defect.index, source.problem_line);
    case ProblemPart::buffer:
      return entry(source.buffers, defect.index, source.problem_line);
    case ProblemPart::relation:
      return entry(source.relations, defect.index, source.problem_line);
    case ProblemPart::rule:
      return entry(source.rules, defect.index, source.problem_line);
  }
  return source.problem_line;
}

InputError defect_error(const SourceMap& source, const Defect& defect) {
  // Ids and names come from the input and may hold any bytes.
  std::string message;
  for (const char c : defect.message) message += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  if (message.ends_with('.')) message.pop_back();
  return {source.file, line_of(source, defect), std::move(message)};
}

}  // namespace tessera::io
