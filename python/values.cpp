#include "values.h"

#include <chrono>
#include <cmath>
#include <variant>

#include "tessera/errors.h"
#include "tessera/files.h"

namespace tessera::python {
namespace {

std::string quoted(const char* name) {
  return "`" + std::string(name) + "`";
}

std::string type_name(const py::handle& value) {
  return py::str(py::type::handle_of(value).attr("__name__"));
}

bool is_whole(const py::handle& value) {
  return PyIndex_Check(value.ptr()) != 0 && !py::isinstance<py::bool_>(value);
}

std::int64_t whole(const py::handle& value, const char* name) {
  if (!is_whole(value))
    throw BadInput(quoted(name) + " must be a whole number, not " + type_name(value));
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) throw BadInput(quoted(name) + " is out of range");
  return result;
}

}  // namespace

std::vector<std::int64_t> whole_numbers(const py::handle& values, const char* name) {
  using Plain = py::array_t<std::int64_t, py::array::c_style>;
  py::array array;
  if (py::isinstance<py::array>(values))
    array = py::reinterpret_borrow<py::array>(values);
  else
    array = py::array::ensure(values);
  if (!array) {
    PyErr_Clear();
    throw BadInput(quoted(name) + " must be an array of whole numbers, not " + type_name(values));
  }
  if (array.ndim() != 1)
    throw BadInput(quoted(name) + " must have one axis, not " + std::to_string(array.ndim()),
                   "one entry per buffer");
  const auto count = static_cast<std::size_t>(array.size());
  if (py::isinstance<Plain>(array)) {
    const auto* begin = static_cast<const std::int64_t*>(array.data());
    return {begin, begin + count};
  }
  if (count == 0) return {};
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u')
    throw BadInput(
        quoted(name) + " must be whole numbers, not " + std::string(py::str(array.dtype())),
        kind == 'f' ? "array.astype(int) rounds them down" : "");
  const bool may_wrap = kind == 'u' && array.itemsize() == sizeof(std::int64_t);
  const auto converted =
      py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array);
  std::vector<std::int64_t> numbers(converted.data(), converted.data() + count);
  if (may_wrap)
    for (const std::int64_t number : numbers)
      if (number < 0) throw BadInput(quoted(name) + " has a number that is out of range");
  return numbers;
}

std::vector<std::int64_t> one_each(const py::handle& values, const char* name, std::size_t count) {
  if (is_whole(values) && !py::isinstance<py::array>(values))
    return std::vector<std::int64_t>(count, whole(values, name));
  std::vector<std::int64_t> numbers = whole_numbers(values, name);
  if (numbers.size() != count)
    throw BadInput(quoted(name) + " has " + std::to_string(numbers.size()) +
                   " entries, but there are " + std::to_string(count) + " buffers");
  return numbers;
}

std::optional<Size> size_of(const py::handle& value, const char* name) {
  if (value.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(value)) return parse_size_text(value.cast<std::string>(), name);
  return whole(value, name);
}

std::optional<std::chrono::nanoseconds> duration_of(const py::handle& value,
                                                    const std::string& name) {
  if (value.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(value)) return parse_duration_text(value.cast<std::string>(), name);
  const double seconds = PyFloat_AsDouble(value.ptr());
  if (seconds == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw BadInput("`" + name + "` must be a number of seconds, not " + type_name(value),
                   "or a text with a unit: \"500ms\"");
  }
  constexpr double longest = 9e9;  // limit of a clock with 64-bit nanoseconds
  if (!(seconds >= 0)) throw BadInput("`" + name + "` must be a number of seconds of at least 0");
  if (seconds >= longest) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

Limits limits_of(const LimitArguments& arguments) {
  Limits limits;
  limits.timeout = duration_of(arguments.timeout, "timeout");
  if (!arguments.work.is_none()) limits.work = whole(arguments.work, "work");
  if (limits.work < 0) throw BadInput("`work` must be at least 0");
  limits.memory = size_of(arguments.memory_limit, "memory_limit");
  if (arguments.threads < 1) throw BadInput("`threads` must be at least 1");
  limits.threads = arguments.threads;
  limits.seed = arguments.seed;
  return limits;
}

py::array view_of(const std::vector<std::int64_t>& values, const py::handle& owner) {
  py::array view(py::dtype::of<std::int64_t>(), {values.size()}, {}, values.data(), owner);
  // As view.flags.writeable = False, which needs four Python objects.
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

py::dict stats_dict(const Stats& stats) {
  py::dict dict;
  for (const Stat& stat : stats)
    dict[py::str(stat.name)] =
        std::visit([](const auto& value) -> py::object { return py::cast(value); }, stat.value);
  return dict;
}

py::dict metrics_dict(const Metrics& metrics) {
  py::dict dict;
  dict["latency_cycles"] = metrics.latency_cycles;
  dict["energy_pj"] = metrics.energy_pj;
  dict["dram_bytes"] = metrics.dram_bytes;
  dict["peak_bytes"] = metrics.peak_bytes;
  dict["peak_bandwidth"] = metrics.peak_bandwidth;
  return dict;
}

std::string path_of(const py::handle& path) {
  const auto text = py::reinterpret_steal<py::object>(PyOS_FSPath(path.ptr()));
  if (!text) throw py::error_already_set();
  return text.cast<std::string>();
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace tessera::python
