#include "cli/certificate_reading.h"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace tessera::cli {

namespace {

/// Options of the command line that affect how an input is read, as named in certificates.
struct Reading {
  std::string profile;
  std::string lifetimes;
};

Reading reading_of(const CertificateText& certificate) {
  Reading reading;
  for (const auto& [key, value] : certificate.read) {
    if (key == "profile") reading.profile = value;
    if (key == "lifetimes") reading.lifetimes = value;
  }
  return reading;
}

InputArguments read_otherwise(InputArguments arguments, const Reading& reading) {
  arguments.profile = reading.profile;
  arguments.lifetimes = reading.lifetimes;
  return arguments;
}

/// A certificate is untrusted and may name any file of this machine as its profile. Files that are
/// no profiles are not shown, and the reader never blocks.
bool is_readable_profile(const std::string& name) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(name, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return false;
  try {
    static_cast<void>(load_profile(name));
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

/// Does the other way to read INPUT give the same problem? For example `nvdla-like` and the path of
/// that profile, or `inclusive` if the header states it anyway.
bool same_problem(const InputArguments& arguments, const Reading& reading, const Input& input) {
  std::error_code error;
  // cannot be read a second time
  if (!std::filesystem::is_regular_file(arguments.path, error)) return false;
  if (!reading.profile.empty() && !is_readable_profile(reading.profile)) return false;
  try {
    return problem_yaml(read_otherwise(arguments, reading).load().problem) ==
           problem_yaml(input.problem);
  } catch (const BadInput&) {
    return false;
  }
}

std::string difference(const std::string& key, const std::string& made, const std::string& here) {
  if (made.empty()) return "it was made without --" + key + " " + as_argument(here);
  const std::string so = "it was made with " + key + " " + made;
  return so + (here.empty() ? ", but this input is read without it"
                            : ", but this input is read with " + here);
}

std::string another_problem(const InputArguments& arguments, const Reading& made) {
  std::string differs;
  std::string add;
  std::string leave_out;
  const auto compare = [&](const std::string& key, const std::string& its,
                           const std::string& here) {
    if (its == here) return;
    differs += (differs.empty() ? "" : "; ") + difference(key, its, here);
    if (its.empty())
      leave_out += (leave_out.empty() ? "remove --" : " and --") + key;
    else
      add += (add.empty() ? "add --" : " --") + key + " " + as_argument(its);
  };
  compare("profile", made.profile, arguments.profile);
  compare("lifetimes", made.lifetimes, arguments.lifetimes);
  return "The certificate belongs to another problem: " + differs + ". To check that problem, " +
         add + (add.empty() || leave_out.empty() ? "" : " and ") + leave_out + ".";
}

}  // namespace

CertificateReading read_for(const CertificateText& certificate, const std::string& file,
                            const InputArguments& arguments, bool asked) {
  const Reading made = reading_of(certificate);
  CertificateReading result;
  if (asked) {
    result.input = arguments.load();
    const bool as_here = made.profile == arguments.profile && made.lifetimes == arguments.lifetimes;
    if (!as_here && !same_problem(arguments, made, result.input))
      result.other = another_problem(arguments, made);
    return result;
  }
  if (!made.profile.empty() && !is_readable_profile(made.profile))
    throw BadInput(
        file + ": names the profile '" + made.profile + "', which is not a readable profile here",
        "tessera profiles lists the known profiles; a relative path starts at the working "
        "directory");
  result.input = read_otherwise(arguments, made).load();
  if (!made.profile.empty()) {
    result.said = "profile " + made.profile;
    // Only the certificate states these capacities, as for an input without capacities: its profile
    // may have been combined with another --capacity. The claims name their assumptions.
    for (Memory& memory : result.input.problem.memories)
      if (memory.banks.empty()) memory.capacity = unbounded;
  }
  if (!made.lifetimes.empty())
    result.said += (result.said.empty() ? "" : " and ") + ("lifetimes " + made.lifetimes);
  if (!result.said.empty()) result.said = ", read with " + result.said;
  return result;
}

}  // namespace tessera::cli
