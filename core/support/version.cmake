# Writes OUTPUT, which defines NAME, of NAMESPACE and declared in HEADER, as a digest of the files in
# SOURCES (a list's file).
cmake_minimum_required(VERSION 3.25)
file(STRINGS ${SOURCES} sources)
set(digests "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 version "${digests}")
set(text "#include \"${HEADER}\"\n
namespace ${NAMESPACE} {\n
const std::string_view ${NAME} = \"${version}\";\n
}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
