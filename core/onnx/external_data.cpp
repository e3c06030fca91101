#include "core/onnx/external_data.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>
#include <charconv>
#include <optional>

namespace loopglass::onnx {

namespace {

namespace fs = std::filesystem;

struct Location {
  std::string path;
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
};

std::unexpected<Diagnostic> refuse(std::string why, const std::string& path) {
  return fail(Code::ExternalDataRefused, std::move(why), path);
}

Result<std::int64_t> parse_count(const std::string& text, std::string_view key,
                                 const std::string& path) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return refuse(fmt::format("external data {} '{}' is not a number of bytes", key, text), path);
  return value;
}

Result<Location> parse_location(const ::onnx::TensorProto& proto) {
  Location location;
  for (const auto& entry : proto.external_data())
    if (entry.key() == "location") location.path = entry.value();
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "offset")
      location.offset = TRY(parse_count(entry.value(), "offset", location.path));
    if (entry.key() == "length")
      location.length = TRY(parse_count(entry.value(), "length", location.path));
  }
  if (location.path.empty() || location.path.find('\0') != std::string::npos)
    return refuse("external data names no file", location.path);
  return location;
}

// The file's real path, once it is sure to lie inside the folder. Looking at the text alone would
// miss symbolic links; looking at the resolved path alone would let "a/../../model/b" through.
Result<fs::path> resolve(const std::string& path, const fs::path& folder) {
  const fs::path relative(path);
  if (relative.is_absolute())
    return refuse("external data must have a path relative to the model's folder", path);
  if (std::find(relative.begin(), relative.end(), fs::path("..")) != relative.end())
    return refuse("external data must not step out of the model's folder with '..'", path);
  std::error_code error;
  const fs::path base = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error)
    return refuse(fmt::format("the model's folder cannot be resolved: {}", error.message()),
                  folder.string());
  const fs::path real = fs::canonical(base / relative, error);
  if (error)
    return refuse(fmt::format("external data cannot be opened: {}", error.message()), path);
  if (std::mismatch(base.begin(), base.end(), real.begin(), real.end()).first != base.end())
    return refuse("external data lies outside the model's folder through a link", path);
  return real;
}

}  // namespace

Result<ExternalData> open_external_data(const ::onnx::TensorProto& proto, const fs::path& folder,
                                        std::int64_t bytes) {
  const Location location = TRY(parse_location(proto));
  if (location.length && *location.length != bytes)
    return refuse(
        fmt::format("external data of {} bytes for a tensor of {} bytes", *location.length, bytes),
        location.path);
  ExternalData data{TRY(File::open(TRY(resolve(location.path, folder)), Code::ExternalDataRefused)),
                    location.offset};
  if (data.offset > data.file.bytes() || bytes > data.file.bytes() - data.offset)
    return refuse(fmt::format("external data of {} bytes at {} lies beyond the file's end at {}",
                              bytes, data.offset, data.file.bytes()),
                  location.path);
  return data;
}

}  // namespace loopglass::onnx
