// Files of sessions.
#include "core/saved_session.h"

#include "core/support/closest.h"
#include "core/support/counted.h"
#include "core/support/hash.h"
#include "core/support/whole_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace loopglass {
namespace {

namespace fs = std::filesystem;

// As model arguments are read: a bare word without an ending is a sample's name.
bool is_path(const std::string& model) {
  return model.find('/') != std::string::npos || fs::path(model).has_extension();
}

std::string from_folder(const std::string& model, const fs::path& folder) {
  if (!is_path(model)) return model;
  std::error_code error;
  const fs::path below = fs::absolute(model, error)
                             .lexically_normal()
                             .lexically_relative(fs::absolute(folder, error).lexically_normal());
  if (error || below.empty() || *below.begin() == "..") return model;
  return "./" + below.string();
}

Result<std::string> text_of(const fs::path& file) {
  constexpr std::size_t most = 16 << 20;
  const FileKind kind{Code::SessionUnreadable, "the session"};
  const auto unreadable = [&](const std::string& why, const std::string& hint) {
    return fail(kind.unreachable, "the session cannot be read: " + why, file.string(), hint);
  };
  std::error_code error;
  if (fs::is_directory(file, error))
    return unreadable("it is a folder", "name the file in it that ends in .loopglass");
  // A pipe without a writer would be waited for.
  if (fs::exists(file, error) && !fs::is_regular_file(file, error))
    return unreadable("it is not a regular file", "copy what it holds to a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refuse_file(kind, "read", errno, file);
  std::string text(most + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return refuse_file(kind, "read", errno, file);
  if (text.size() > most)
    return unreadable("it is longer than 16 MiB", "no session is: this is another file");
  return text;
}

}  // namespace

std::string in_words(const SavedBeside& beside) {
  using Kind = SavedBeside::Kind;
  switch (beside.kind) {
    case Kind::Nothing: return "";
    case Kind::Step: return "step " + beside.what;
    case Kind::StepBefore: return "the step before";
    case Kind::Compared: return "the place it is compared with";
    case Kind::Strategy: return "strategy " + beside.what;
    case Kind::Passes: return "passes " + beside.what;
  }
  __builtin_unreachable();
}

void forget_measurements(SavedGraph& graph) {
  graph.times.reset();
  graph.roofline.reset();
}

SavedGraph graph_of(const SavedSession& session, const std::string& subgraph) {
  if (session.asked.request.subgraph == subgraph) return session;
  const auto known = std::ranges::find(session.others, subgraph, [](const SavedGraph& graph) {
    return graph.asked.request.subgraph;
  });
  SavedGraph graph = known == session.others.end() ? SavedGraph{} : *known;
  graph.asked.request.model = session.asked.request.model;
  graph.asked.request.inputs = session.asked.request.inputs;
  graph.asked.request.subgraph = subgraph;
  graph.asked.breakpoints = session.asked.breakpoints;
  graph.asked.bookmarks = session.asked.bookmarks;
  return graph;
}

bool is_session_file(const fs::path& path) {
  return lower_case(path.extension().string()) == session_ending;
}

Result<void> write_session(const fs::path& file, const SavedSession& session) {
  SavedSession written = session;
  std::string& model = written.asked.request.model;
  model = from_folder(model, file.has_parent_path() ? file.parent_path() : fs::path("."));
  return write_file(file, to_text(written), session_file);
}

Result<SavedSession> read_session(const fs::path& file) {
  const std::string text = TRY(text_of(file));
  auto session = parse_saved_session(text);
  if (!session) {
    std::string& where = session.error().where;
    where = where.empty() ? file.string() : fmt::format("{}: {}", file.string(), where);
    return session;
  }
  std::string& model = session->asked.request.model;
  if (is_path(model) && fs::path(model).is_relative())
    model = (file.parent_path() / model).lexically_normal().string();
  return session;
}

std::string by_hand_words(const SavedAsked& asked) {
  const Request& request = asked.request;
  std::vector<std::string> words;
  if (const std::size_t edges = request.forced.size() + request.forbidden.size(); edges > 0)
    words.push_back(counted(edges, "edge") + " by hand");
  if (request.uses_edits()) words.push_back(counted(request.edits.edits.size(), "edit"));
  if (!asked.schedules.empty()) words.push_back(counted(asked.schedules.size(), "schedule"));
  return fmt::format("{}", fmt::join(words, ", "));
}

Result<ModelStamp> stamp_of(const fs::path& model) {
  const auto unreadable = [&] {
    return fail(Code::ModelUnreadable,
                fmt::format("the file cannot be read: {}", std::strerror(errno)), model.string());
  };
  std::error_code error;
  if (fs::exists(model, error) && !fs::is_regular_file(model, error))
    return fail(Code::ModelUnreadable, "the file cannot be read: it is not a regular file",
                model.string());
  std::ifstream stream(model, std::ios::binary);
  if (!stream) return unreadable();
  ModelStamp stamp;
  Hasher hasher;
  for (std::string part(1 << 20, '\0'); stream;) {
    stream.read(part.data(), static_cast<std::streamsize>(part.size()));
    const auto count = static_cast<std::size_t>(stream.gcount());
    hasher.bytes(std::as_bytes(std::span(part.data(), count)));
    stamp.bytes += count;
  }
  if (stream.bad()) return unreadable();
  stamp.hash = fmt::format("{:016x}", hasher.digest());
  return stamp;
}

}  // namespace loopglass
