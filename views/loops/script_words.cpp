#include "views/loops/script_words.h"

#include "core/loop/annotations.h"
#include "core/loop/intrinsics.h"
#include "core/loop/walk.h"
#include "core/script/sampling.h"
#include "views/text.h"

namespace loopglass::views {
namespace {

// The names that a script may speak of, in a nest.
void add_names(const loop::Func& nest, QStringList& names) {
  for (const loop::Buffer& buffer : nest.parameters) names << text(buffer.name);
  loop::walk(nest.body, [&](const loop::Stmt& stmt) {
    if (const auto* loop = loop::as<loop::For>(stmt)) names << text(loop->variable);
    if (const auto* block = loop::as<loop::Block>(stmt)) names << text(block->name);
    if (const auto* alloc = loop::as<loop::Alloc>(stmt)) names << text(alloc->buffer.name);
  });
}

}  // namespace

void ScriptWords::offer_names_of(std::initializer_list<const loop::Func*> nests) {
  words_ = {"block", "loops", "buffer"};
  for (const schedule::Primitive& primitive : schedule::all_primitives())
    words_ << text(primitive.name);
  for (const schedule::Sampling& sampling : schedule::all_samplings())
    words_ << text(sampling.name);
  // What arguments may be that is not of the nest.
  for (const loop::Scope scope : loop::own_scopes) words_ << text(std::string(loop::name(scope)));
  for (const loop::Intrinsic& intrinsic : loop::all_intrinsics()) words_ << text(intrinsic.name);
  words_ << text(std::string(loop::unroll_annotation)) << "peel";
  for (const loop::Func* nest : nests) add_names(*nest, words_);
  words_.removeDuplicates();
  words_.sort();
}

void ScriptWords::updateAutoCompletionList(const QStringList& context, QStringList& list) {
  if (context.isEmpty() || context.last().isEmpty() || is_in_comment()) return;
  for (const QString& word : words_)
    if (word.startsWith(context.last()) && word != context.last()) list << word;
}

bool ScriptWords::is_in_comment() const {
  const QsciScintilla* editor = lexer()->editor();
  int line = 0, column = 0;
  editor->getCursorPosition(&line, &column);
  return editor->text(line).left(column).contains("//");
}

QStringList ScriptWords::callTips(const QStringList&, int, QsciScintilla::CallTipsStyle,
                                  QList<int>&) {
  return {};
}

}  // namespace loopglass::views
