#include "profiles.h"

#include <pybind11/stl.h>

#include "problems.h"
#include "tessera/errors.h"
#include "tessera/files.h"
#include "values.h"

namespace tessera::python {
namespace {

/// A value in the syntax of profiles.
std::string written(const py::handle& value) {
  if (value.is_none()) return "null";
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::dict>(value)) {
    std::string text;
    for (const auto& [key, each] : py::reinterpret_borrow<py::dict>(value))
      text += (text.empty() ? "" : ", ") + std::string(py::str(key)) + ": " + written(each);
    return "{" + text + "}";
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    std::string text;
    for (const py::handle each : value) text += (text.empty() ? "" : ", ") + written(each);
    return "[" + text + "]";
  }
  return py::str(value);
}

/// The reverse: integers, floats and Booleans become Python's types, the rest is text.
py::object read(const std::string& text) {
  if (text == "true") return py::bool_(true);
  if (text == "false") return py::bool_(false);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != text.npos) return py::str(text);
  for (PyObject* type :
       {reinterpret_cast<PyObject*>(&PyLong_Type), reinterpret_cast<PyObject*>(&PyFloat_Type)}) {
    PyObject* number = PyObject_CallFunction(type, "s", text.c_str());
    if (number != nullptr) return py::reinterpret_steal<py::object>(number);
    PyErr_Clear();
  }
  return py::str(text);
}

void set_all(Profile& profile, const py::dict& changes) {
  std::vector<ProfileChange> list;
  for (const auto& [key, value] : changes)
    list.emplace_back(std::string(py::str(key)), written(value));
  profile.set(list);
}

}  // namespace

std::vector<std::string> profile_folders_of_package() {
  const auto folder = py::module_::import("tessera").attr("_shelf");
  return {folder.cast<std::string>()};
}

Profile profile_of(const py::handle& given) {
  if (py::isinstance<Profile>(given)) return given.cast<const Profile&>();
  return Profile(path_of(given), profile_folders_of_package());
}

void bind_profiles(py::module_& module) {
  py::class_<Profile>(module, "Profile",
                      R"(A hardware profile. Values are read and changed by their path.

    >>> hw = load_profile("nvdla-like")
    >>> hw["memories.cbuf.bank_size"]
    '32 KiB'
    >>> hw["memories.cbuf.bank_size"] = "16 KiB"
    >>> try:
    ...     hw["memories.cbuf.bank_sise"] = "16 KiB"
    ... except BadInput as wrong:
    ...     print(wrong, wrong.hint, sep="\n")
    `memories.cbuf.bank_sise=16 KiB`: memory `cbuf` has the unknown key `bank_sise`
    did you mean `bank_size`?
    >>> hw.changes
    {'memories.cbuf.bank_size': '16 KiB'}

A value has the form of the profile YAML, with its unit; None removes a key.
)")
      .def_property_readonly("name", [](const Profile& p) { return p.hardware().name; })
      .def(
          "__getitem__",
          [](const Profile& p, const std::string& key) {
            if (!p.has(key)) {
              try {
                static_cast<void>(p.get(key));
              } catch (const BadInput& wrong) {
                throw py::key_error(wrong.what() + (wrong.hint.empty() ? "" : "; " + wrong.hint));
              }
            }
            return read(p.get(key));
          },
          py::arg("key"))
      .def(
          "__setitem__",
          [](Profile& p, const std::string& key, const py::object& value) {
            p.set(key, written(value));
          },
          py::arg("key"), py::arg("value"))
      .def("__contains__", [](const Profile& p, const std::string& key) { return p.has(key); })
      .def("__iter__", [](const Profile& p) { return py::iter(py::cast(p.keys())); })
      .def("keys", &Profile::keys, "The paths of all values.")
      .def("update", &set_all, py::arg("changes"),
           "Several changes at once: only the result is checked.")
      .def_property_readonly(
          "changes",
          [](const Profile& p) {
            py::dict dict;
            for (const auto& [key, value] : p.changes()) dict[py::str(key)] = value;
            return dict;
          },
          "The differences from the file.")
      .def("copy", [](const Profile& p) { return Profile(p); })
      .def("__copy__", [](const Profile& p) { return Profile(p); })
      .def(
          "__deepcopy__", [](const Profile& p, const py::object&) { return Profile(p); },
          py::arg("memo"))
      .def("to_yaml", &Profile::yaml, "The changed profile as a complete YAML file.")
      .def("__repr__", [](const Profile& p) {
        const std::size_t count = p.changes().size();
        return "<tessera.Profile: " + p.hardware().name +
               (count == 0 ? "" : ", " + std::to_string(count) + " changed") + ">";
      });
  module.def(
      "load_profile",
      [](const py::object& profile) {
        return Profile(path_of(profile), profile_folders_of_package());
      },
      py::arg("profile"), "Reads a profile by name or from a file.");
  module.def(
      "profiles", [] { return profile_list(profile_folders_of_package()); },
      R"(The names of the known profiles.

    >>> "ethos-u55-256" in profiles()
    True
)");
}

}  // namespace tessera::python
