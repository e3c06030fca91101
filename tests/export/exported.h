// What tests of exports have in common: a folder of their own, sessions, and programs to look with.
#pragma once

#include "samples/samples.h"
#include "tests/session/session_on.h"

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::app {

inline std::unique_ptr<Session> session_of(const char* sample) {
  return session_on(samples::find_sample(sample)->build(0).value());
}

// LeNet, an operator of which has this name.
inline std::unique_ptr<Session> session_with_name(const std::string& name) {
  graph::GraphBuilder builder(samples::find_sample("lenet")->build(0).value());
  const auto graph = samples::find_sample("lenet")->build(0).value();
  builder.rename(graph.nodes().front()->id, name);
  return session_on(std::move(builder).finish().value());
}

inline QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// What the program prints; nothing where it fails.
inline QByteArray said_by(const QString& program, const QStringList& arguments,
                          int milliseconds = 120'000) {
  QProcess process;
  process.start(program, arguments);
  if (!process.waitForFinished(milliseconds) || process.exitStatus() != QProcess::NormalExit ||
      process.exitCode() != 0) {
    process.kill();
    process.waitForFinished();
    ADD_FAILURE() << program.toStdString() << ": " << process.errorString().toStdString() << "\n"
                  << process.readAllStandardError().right(2000).toStdString();
    return {};
  }
  return process.readAllStandardOutput();
}

class ExportTest : public ::testing::Test {
 protected:
  QString path(const QString& name) const { return folder_.filePath(name); }
  std::string file(const QString& name) const { return path(name).toStdString(); }

  QTemporaryDir folder_;
};

}  // namespace loopglass::app
