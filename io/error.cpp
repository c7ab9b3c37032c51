#include "io/error.h"

namespace tessera {
namespace {

std::string located(const std::string& file, std::size_t line, const std::string& message) {
  std::string out = file;
  if (line > 0) out += ':' + std::to_string(line);
  return out + ": " + message;
}

}  // namespace

InputError::InputError(std::string file_name, std::size_t line_number, std::string what_is_wrong,
                       std::string what_would_fix_it)
    : std::runtime_error(located(file_name, line_number, what_is_wrong)),
      file(std::move(file_name)),
      line(line_number),
      message(std::move(what_is_wrong)),
      hint(std::move(what_would_fix_it)) {}

}  // namespace tessera
