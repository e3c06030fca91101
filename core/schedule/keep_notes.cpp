#include "core/schedule/keep_notes.h"

#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <map>
#include <utility>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Loops and blocks may be called the same.
using Key = std::pair<bool, std::string>;

std::optional<Key> key_of(const Stmt& stmt) {
  if (const For* node = loop::as<For>(stmt)) return Key{false, node->variable};
  if (const Block* node = loop::as<Block>(stmt)) return Key{true, node->name};
  return {};
}

}  // namespace

Func with_notes_of(const Func& before, Func after) {
  std::map<Key, const Annotations*> notes;
  loop::walk(before.body, [&](const Stmt& stmt) {
    const auto key = stmt->annotations.empty() ? std::nullopt : key_of(stmt);
    if (key) notes.emplace(*key, &stmt->annotations);
  });
  if (notes.empty()) return after;
  after.body = rewrite(after.body, [&](const Stmt& stmt) -> Stmt {
    const auto key = stmt->annotations.empty() ? key_of(stmt) : std::nullopt;
    const auto note = key ? notes.find(*key) : notes.end();
    return note == notes.end() ? stmt : with_annotations(stmt, *note->second);
  });
  return after;
}

}  // namespace loopglass::schedule
