# Writes OUTPUT, which defines generator_version as a digest of the files in SOURCES (a list's file).
file(STRINGS ${SOURCES} sources)
set(digests "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 version "${digests}")
set(text "#include \"core/codegen/generator_version.h\"\n
namespace loopglass::codegen {\n
const std::string_view generator_version = \"${version}\";\n
}  // namespace loopglass::codegen\n")
file(WRITE ${OUTPUT} "${text}")
