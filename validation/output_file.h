// An output file that appears complete or not at all.
//
//   OutputFile out("plan.json");        // before the search: BadInput where it cannot be written
//   NetworkPlan plan = plan_network(network, hardware, params);                // for an hour
//   out.write(plan_json(plan));         // OutputError where the disk is full
//   out.commit();                       // now it is there
//
//   OutputFile proof("no.proof", OutputFile::Writer::by_name);   // another writer fills it
//   params.proof = proof.beside();
//   if (written(place(problem, params))) proof.commit();
//
// Data goes to a temporary file next to the target until commit() renames it, so a reader sees the
// old file or the new one. Without commit() nothing changes and nothing remains. If the file system
// supports it (O_TMPFILE), the temporary file has no name, so a killed program leaves nothing
// either, unless it is killed just before the rename. The name is NAME.tessera-PID-NUMBER.part. A
// symbolic link stays a link: its target is replaced. The permissions of a replaced file are kept.
//
// Devices, pipes and open descriptors (/dev/null, /dev/stdout, >(gzip), "-" for the standard
// output) are written directly.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tessera/errors.h"

namespace tessera::validation {

/// Identity of a file, independent of its spelling: device and number of an existing file, folder
/// and name of a new one.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  std::string name;      ///< empty: the file exists
  bool replaced = true;  ///< by a new file; false: a device, a pipe or an open descriptor
  bool sink = false;     ///< /dev/null: several writers do not conflict

  [[nodiscard]] bool same_file(const FileIdentity& other) const {
    return !sink && !other.sink && device == other.device && number == other.number &&
           name == other.name;
  }
};

/// Of an input; "-" is the standard input. None if it does not exist, and for terminals and other
/// devices without contents, which may be input and output at once.
[[nodiscard]] std::optional<FileIdentity> input_identity(const std::string& path);
/// Of the standard output; none if it is closed.
[[nodiscard]] std::optional<FileIdentity> standard_output_identity();

/// Writes all of it to a descriptor. Gives up on a pipe whose reader takes nothing for a second
/// after a stop request. Throws OutputError that begins with `name`; ClosedPipe if there is no
/// reader.
void write_to_descriptor(int descriptor, std::string_view text, const std::string& name,
                         const std::stop_token& stop = {});

class OutputFile {
 public:
  enum class Writer : std::uint8_t {
    here,     ///< write()
    by_name,  ///< another writer, at beside()
  };
  enum class Beside : std::uint8_t {
    unnamed_if_possible,
    named,  ///< for tests: as on a file system without O_TMPFILE
  };

  /// Throws BadInput if the file cannot be written: no such folder, no permission, a directory, a
  /// full disk.
  explicit OutputFile(std::string path, Writer writer = Writer::here,
                      Beside beside = Beside::unnamed_if_possible);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }  ///< as given
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  /// The path for another writer: a name in a temporary folder, so that additional files of that
  /// writer are removed as well. require: Writer::by_name.
  [[nodiscard]] const std::filesystem::path& beside() const { return written_; }

  /// Appends to the file. `stop` is for pipes: see write_to_descriptor(). Throws OutputError.
  /// require: Writer::here.
  void write(std::string_view text, const std::stop_token& stop = {});
  /// Publishes the data written here or at beside(). Throws OutputError; then nothing has changed.
  void commit(const std::stop_token& stop = {});

  /// Removes temporary files, for a program that ends without destructors. Safe while another
  /// thread runs any member above: a complete file stays, others do not appear.
  void abandon() const noexcept;

 private:
  struct Replaced {  ///< the existing file, if any
    unsigned mode = 0, owner = 0, group = 0;
  };
  void open_descriptor(int number);
  void open_directly(bool pipe);
  void open_beside(Writer writer, Beside beside);
  void require_replaceable() const;
  void require_space() const;
  void wait_for_reader(const std::stop_token& stop);
  void publish(int file);

  std::string path_;
  FileIdentity identity_;
  std::filesystem::path target_;  ///< the end of the links; empty: written directly
  std::optional<Replaced> old_;
  std::filesystem::path beside_;   ///< the temporary file or folder, also of an unnamed file
  std::filesystem::path written_;  ///< by_name: inside it
  int file_ = -1;
  bool unnamed_ = false;
};

}  // namespace tessera::validation
