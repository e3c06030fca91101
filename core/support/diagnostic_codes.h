// Every diagnostic Loopglass can give, by number. Numbers are stable: never reused, never moved.
// Thousands tell the room: 1 models, 2 operators, 3 graphs, 4 passes and fusion, 5 schedules,
// 6 code generation, 7 running, 8 command line and window, 9 text forms.
#pragma once

namespace loopglass {

#define LOOPGLASS_DIAGNOSTIC_CODES(CODE)                                                       \
  CODE(ModelUnreadable, 1001, "the model file cannot be opened or read")                       \
  CODE(ModelCorrupt, 1002, "the file is not a well-formed ONNX model")                         \
  CODE(ModelTooLarge, 1003, "the model asks for more than Loopglass will allocate")            \
  CODE(ExternalDataRefused, 1004,                                                              \
       "external data lies outside the model's folder or is unreadable")                       \
  CODE(OpsetUnsupported, 1005, "the model's operator set version is not supported")            \
  CODE(DimensionUnbound, 1006, "a symbolic dimension has no value")                            \
  CODE(ShapeBindingInvalid, 1007, "a --shape binding does not fit the model")                  \
  CODE(ValueKindUnsupported, 1008, "sequences, maps, optionals and strings are not supported") \
  CODE(TestDataUnreadable, 1009, "a test case's input or output cannot be read")               \
  CODE(OperatorUnsupported, 2001, "the operator is not supported")                             \
  CODE(AttributeUnsupported, 2002, "an attribute or one of its values is not supported")       \
  CODE(TypeUnsupported, 2003, "the operator is not supported for this element type")           \
  CODE(OperatorMisused, 2004, "the operator's inputs or attributes break its contract")        \
  CODE(InputNotConstant, 2005, "an input that decides a shape is not a constant")              \
  CODE(DynamicShapeUnsupported, 2006, "the operator's output shape depends on data")           \
  CODE(OperandTypeUnknown, 2007, "the type of an operand is not known")                        \
  CODE(GraphInvalid, 3001, "the graph breaks an invariant")                                    \
  CODE(GraphEntityUnknown, 3002, "no such node, value or group in the graph")                  \
  CODE(PassBrokeGraph, 4001, "a pass produced an invalid graph")                               \
  CODE(PassUnknown, 4002, "there is no pass of that name")                                     \
  CODE(StrategyUnknown, 4003, "there is no fusion strategy of that name")                      \
  CODE(PlanInvalid, 4004, "the fusion plan is not legal")                                      \
  CODE(PassBrokeFunc, 4005, "a loop pass produced an invalid loop nest")                       \
  CODE(ScheduleIllegal, 5001, "the schedule primitive is not legal here")                      \
  CODE(ScheduleHandleUnknown, 5002, "no such block, loop or buffer in the schedule")           \
  CODE(FuncInvalid, 5003, "the loop nest breaks an invariant")                                 \
  CODE(RecordsUnreadable, 5004, "records of tuning cannot be read")                            \
  CODE(RecordsUnwritable, 5005, "records of tuning cannot be written")                         \
  CODE(NothingToTune, 5006, "there is nothing to choose in the kernel")                        \
  CODE(FarmUnreachable, 5007, "the server of a farm cannot be reached")                        \
  CODE(FarmRefused, 5008, "the server of a farm refuses")                                      \
  CODE(FarmWithoutWorkers, 5009, "no machine of a farm can measure this")                      \
  CODE(CodegenUnsupported, 6001, "the loop nest cannot be compiled")                           \
  CODE(CodegenFailed, 6002, "LLVM could not produce machine code")                             \
  CODE(OutOfMemory, 7001, "not enough memory")                                                 \
  CODE(InputMismatch, 7002, "an input does not fit the model's signature")                     \
  CODE(ResultMismatch, 7003, "a result differs from the expected one")                         \
  CODE(Cancelled, 7004, "the work was cancelled")                                              \
  CODE(SystemRefused, 7005, "the system refused what the work needs")                          \
  CODE(OpenFilesExhausted, 7006, "the process may have no more files open at once")            \
  CODE(WorkerCrashed, 7007, "generated code crashed the process that was measuring it")        \
  CODE(WorkerTimedOut, 7008, "generated code ran longer than it may")                          \
  CODE(WorkerLost, 7009, "the process that was measuring ended or is not understood")          \
  CODE(LibraryMissing, 7010, "a library of hand-written kernels is not there")                 \
  CODE(LibraryRefused, 7011, "a library does not compute what it is asked for")                \
  CODE(UsageInvalid, 8001, "the command line or request is not understood")                    \
  CODE(FileUnwritable, 8002, "a file cannot be written")                                       \
  CODE(SampleUnknown, 8003, "there is no sample of that name")                                 \
  CODE(InternalDefect, 8004, "a defect in Loopglass itself")                                   \
  CODE(SettingsUnusable, 8005, "the window's saved settings cannot be used")                   \
  CODE(SessionUnreadable, 8006, "a session's file cannot be opened or read")                   \
  CODE(NoSession, 8007, "the file is no session")                                              \
  CODE(SessionCorrupt, 8008, "a session is damaged, or says what cannot be")                   \
  CODE(SessionNewer, 8009, "a session was written by a newer Loopglass")                       \
  CODE(SessionUnwritable, 8010, "a session cannot be written")                                 \
  CODE(SessionModelMissing, 8011, "the model of a session is not there")                       \
  CODE(ExportFormUnknown, 8012, "what is exported cannot be written in that form")             \
  CODE(ExportUnwritable, 8013, "an exported file cannot be written")                           \
  CODE(ExportTooLarge, 8014, "what is exported is too large for that form")                    \
  CODE(ExportUnavailable, 8015, "what draws exports is not there or cannot be run")            \
  CODE(DiskFull, 8016, "there is no room left for a file")                                     \
  CODE(PermissionMissing, 8017, "a file or folder may not be read or written")                 \
  CODE(FileUnreadable, 8018, "a file of text cannot be opened or read")                        \
  CODE(TextMalformed, 9001, "the text does not parse")

enum class Code : int {
#define CODE(name, number, title) name = number,
  LOOPGLASS_DIAGNOSTIC_CODES(CODE)
#undef CODE
};

}  // namespace loopglass
