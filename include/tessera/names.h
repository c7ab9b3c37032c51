// Names of roles, modes and relations in files and messages.
//
//   std::optional<Role> role = role_from("read_write");
//   std::vector<Role> roles = mode_roles(memory, "read|write|off");   // three banks
//   std::cout << to_string(RelationKind::same_bank) << '\n';
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "problem.h"

namespace tessera {

/// Names of roles and relations, and the inverse functions; nothing for an unknown name.
[[nodiscard]] TESSERA_API std::string_view to_string(Role role);
[[nodiscard]] TESSERA_API std::optional<Role> role_from(std::string_view text);
[[nodiscard]] TESSERA_API std::string_view to_string(RelationKind kind);
[[nodiscard]] TESSERA_API std::optional<RelationKind> relation_kind_from(std::string_view text);

/// Thousandths as in files: 12500 is "12.5".
[[nodiscard]] TESSERA_API std::string benefit_text(Benefit thousandths);

/// The roles of a mode, one per bank; empty if there is no such mode. For a memory with
/// modes_per_bank, a mode is a list of roles such as "read|write|off".
[[nodiscard]] TESSERA_API std::vector<Role> mode_roles(const Memory& memory, std::string_view mode);
[[nodiscard]] TESSERA_API std::string per_bank_mode_name(std::span<const Role> roles);

}  // namespace tessera
