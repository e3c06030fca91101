// The files of app/schemas, as they were when this was built (core/support/texts.cmake).
#pragma once

#include <span>
#include <string_view>

namespace loopglass::app {

struct SchemaFile {
  std::string_view name;  // "bench.json"
  std::string_view text;
};
std::span<const SchemaFile> schema_files();

}  // namespace loopglass::app
