// A file that appears whole or not at all.
//
//   OutputFile out("plan.json");        // before the search: BadInput where it cannot be written
//   NetworkPlan plan = plan_network(network, hardware, params);                // for an hour
//   out.write(plan_json(plan));         // OutputError where the disk is full
//   out.commit();                       // now it is there
//
//   OutputFile proof("no.proof", OutputFile::Writer::by_name);   // somebody else writes it
//   params.proof = proof.beside();
//   if (written(place(problem, params))) proof.commit();
//
// What is written lies beside its place until commit() renames it, so a reader sees the old file or
// the new one; without commit() nothing has changed and nothing is left. Where the file system can
// (O_TMPFILE), it has no name until then, and a killed program leaves nothing either; else its name
// is NAME.tessera-PID-NUMBER.part. A symbolic link stays a link: what it points to is replaced. The
// permissions of a file that is replaced are kept.
//
// Devices, pipes and open descriptors (/dev/null, /dev/stdout, >(gzip), "-" for the standard
// output) are written as they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tessera/errors.h"

namespace tessera::validation {

/// What two spellings of one file have in common: of a file that exists its device and number, of
/// one that does not its folder's and its name.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  std::string name;      ///< empty: the file exists
  bool replaced = true;  ///< by a new file; else it is a device, a pipe or an open descriptor
  bool sink = false;     ///< /dev/null: nobody is in anybody's way there

  [[nodiscard]] bool same_file(const FileIdentity& other) const {
    return !sink && !other.sink && device == other.device && number == other.number &&
           name == other.name;
  }
};

/// Of what is read; "-" is the standard input. Nothing where it does not exist, and for terminals
/// and other devices without contents, which may be read and written at once.
[[nodiscard]] std::optional<FileIdentity> input_identity(const std::string& path);
/// Of the standard output; nothing where it is closed.
[[nodiscard]] std::optional<FileIdentity> standard_output_identity();

/// Writes all of it to a descriptor. A pipe whose reader takes nothing for a second after a stop
/// was requested is given up. Throws OutputError that begins with `name`; ClosedPipe where nobody
/// reads any more.
void write_to_descriptor(int descriptor, std::string_view text, const std::string& name,
                         const std::stop_token& stop = {});

class OutputFile {
 public:
  enum class Writer : std::uint8_t {
    here,     ///< write()
    by_name,  ///< somebody who is told beside()
  };
  enum class Beside : std::uint8_t {
    unnamed_if_possible,
    named,  ///< for tests: as on a file system without O_TMPFILE
  };

  /// Throws BadInput with a sentence where it cannot be written: no such folder, no permission, a
  /// directory, a full disk.
  explicit OutputFile(std::string path, Writer writer = Writer::here,
                      Beside beside = Beside::unnamed_if_possible);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }  ///< as it was given
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  /// Where another writer puts the file: a name in a folder of its own, so that what that writer
  /// leaves beside it goes as well. require: Writer::by_name.
  [[nodiscard]] const std::filesystem::path& beside() const { return written_; }

  /// Adds to the file. `stop` is for pipes: see write_to_descriptor(). Throws OutputError.
  /// require: Writer::here.
  void write(std::string_view text, const std::stop_token& stop = {});
  /// The file is what was written, here or at beside(). Throws OutputError; then nothing has
  /// changed.
  void commit(const std::stop_token& stop = {});

  /// Removes what lies beside, for a program that ends without destructors. Another thread may be
  /// anywhere in the members above: a file that is whole by then stays, others do not appear.
  void abandon() const noexcept;

 private:
  struct Replaced {  ///< the file that stands there, if one does
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
  std::filesystem::path beside_;   ///< the file or folder beside, also of one that has no name yet
  std::filesystem::path written_;  ///< by_name: inside it
  int file_ = -1;
  bool unnamed_ = false;
};

}  // namespace tessera::validation
