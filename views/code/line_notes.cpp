#include "views/code/line_notes.h"

#include <QObject>

#include <set>

namespace loopglass::views {
namespace {

QString words_of(const codegen::LlvmRemark& said) {
  const char* glyph = said.remark.kind == pass::RemarkKind::Applied  ? "+"
                      : said.remark.kind == pass::RemarkKind::Missed ? "\u2212"
                                                                     : "\u00b7";
  QString words = QString("%1 <b>%2</b>: %3")
                      .arg(glyph, QString::fromStdString(said.pass).toHtmlEscaped(),
                           QString::fromStdString(said.remark.text).toHtmlEscaped());
  if (said.times > 1) words += QObject::tr(" (%1 times)").arg(said.times);
  return words;
}

}  // namespace

LineNotes notes_on_loops(const codegen::LlvmRemarks& remarks) {
  LineNotes notes;
  for (const codegen::LlvmRemark& said : remarks) {
    if (said.loop_line == 0) continue;
    LineNote& note = notes[said.loop_line];
    if (!note.words.isEmpty()) note.words += "<br>";
    note.words += words_of(said);
    note.is_missed |= said.remark.kind == pass::RemarkKind::Missed;
  }
  return notes;
}

LineNotes notes_on_lines(const LineNotes& of_loops, const codegen::SourceLines& lines) {
  LineNotes notes;
  std::set<int> done;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (const auto note = of_loops.find(lines[i].loop_line);
        note != of_loops.end() && done.insert(lines[i].loop_line).second)
      notes.emplace(static_cast<int>(i) + 1, note->second);
  return notes;
}

}  // namespace loopglass::views
