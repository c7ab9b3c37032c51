// The extension inside the package `tessera` (python/tessera/__init__.py).
#include <pybind11/pybind11.h>

#include "calls.h"
#include "problems.h"
#include "tessera/errors.h"
#include "tessera/version.h"

namespace tessera::python {
namespace {

/// The hint is an attribute, and a note below the message if Python shows notes (3.11).
void raise_bad_input(const py::object& type, const BadInput& wrong) {
  const py::object error = type(wrong.what());
  error.attr("hint") = wrong.hint;
  if (!wrong.hint.empty()) {
    py::list notes;
    notes.append("  hint: " + wrong.hint);
    error.attr("__notes__") = notes;
  }
  PyErr_SetObject(type.ptr(), error.ptr());
}

void bind_errors(py::module_& module) {
  // The translator below keeps it as long as the interpreter lives.
  const auto made = [&](const char* name, PyObject* base, const char* text) {
    py::object type = py::reinterpret_steal<py::object>(
        PyErr_NewExceptionWithDoc((std::string("tessera.") + name).c_str(), text, base, nullptr));
    module.attr(name) = type;
    return type;
  };
  made("BadInput", PyExc_ValueError,
       "An argument or a file is wrong. The text names the place; `hint` says how to fix it.");
  made("OutputError", PyExc_OSError, "An output could not be written.");
  made("InternalError", PyExc_RuntimeError, "The checker rejected a result: a bug in Tessera.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto type = [](const char* name) {
      return py::module_::import("tessera._tessera").attr(name).cast<py::object>();
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const BadInput& wrong) {
      raise_bad_input(type("BadInput"), wrong);
    } catch (const OutputError& error) {
      PyErr_SetString(type("OutputError").ptr(), error.what());
    } catch (const InternalError& error) {
      PyErr_SetString(type("InternalError").ptr(), error.what());
    }
  });
}

}  // namespace
}  // namespace tessera::python

PYBIND11_MODULE(_tessera, module) {
  using namespace tessera::python;
  // Objects exported as tessera.X report that module name.
  module.attr("__name__") = "tessera";
  know_main_thread();
  bind_errors(module);
  bind_profiles(module);
  bind_problems(module);
  bind_placing(module);
  bind_networks(module);
  bind_ordering(module);
  bind_scheduling(module);
  bind_plans(module);
  bind_exploring(module);
  module.attr("__version__") = std::string(tessera::version());
  module.attr("__name__") = "tessera._tessera";
}
