// Forward propagation of labels through a package's modules, in program order, functions summarised. Private to
// src/scan/code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/catalogue.h"
#include "code/engine_state.h"
#include "code/flow.h"
#include "code/places.h"
#include "code/shell.h"
#include "code/taint.h"
#include "code/world.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {

class Engine : private EngineState {
 public:
  // `hooks`: by module, whether an agent starts it as its hook.
  Engine(const World& world, const std::vector<EntryPoint>& entries, std::vector<bool> hooks);
  void Run();

  [[nodiscard]] std::vector<Hit>& hits() { return hits_; }
  [[nodiscard]] std::vector<UseAt>& uses() { return uses_; }
  [[nodiscard]] const std::vector<std::vector<FunctionFacts>>& facts() const { return facts_; }
  [[nodiscard]] const std::vector<std::string>& given() const { return given_; }
  [[nodiscard]] std::vector<HandedOut>& handed() { return handed_out_; }
  // What the program writes into files that agents obey.
  [[nodiscard]] std::vector<ToldText>& instructions() { return instructions_; }
  // Functions that a server calls for whoever connects: module << 32 | function.
  [[nodiscard]] std::vector<std::uint64_t> Served() const;
  // Files that took more steps than their size allows: what is said of them may not be all.
  [[nodiscard]] std::vector<std::uint32_t> Unfinished() const;
  // Files that hold more constants than are kept.
  [[nodiscard]] std::vector<std::uint32_t> Starved() const;

 private:
  struct Call {  // being judged
    ExprId expr = kNone;
    ExprId function = kNone;  // what is called, where that is no part of `expr`
    Value callee;
    const CatalogueEntry* entry = nullptr;
    std::span<const Arg> args;
    std::span<const Taint> taints;
    std::span<const std::pair<std::uint32_t, Value>> functions;  // among the arguments, by place
    Taint receiver;
    Taint all;                   // arguments and receiver
    const Expr* base = nullptr;  // what stands before the parentheses
    std::string_view last;       // its last word
    bool own = false;            // a function or a class of the package
    [[nodiscard]] bool IsMethod() const { return base != nullptr && base->kind == ExprKind::kMember; }
    [[nodiscard]] bool IsNamed() const { return base != nullptr && base->kind == ExprKind::kName; }
  };
  using GivenFunctions = std::vector<std::pair<std::uint32_t, Value>>;

  void FillFields(ExprId annotation, FuncId scope, const Taint& taint);
  void ReadFunction(std::uint32_t module, FuncId function);
  void ReadBody(FuncId function);
  [[nodiscard]] bool IsSmall(std::uint32_t module, FuncId function) const;
  void GiveSteps();
  Taint Eval(ExprId expr);
  // engine_call.cc: one call, step by step
  [[nodiscard]] const CatalogueEntry* EntryOfStore(const Expr& method) const;
  Taint EvalCall(ExprId expr);
  void FindCallee(ExprId id, Call* found, std::vector<Arg>* bound);
  void FindEntry(const Expr& expr, Call* found);
  void UnwrapCall(Call* found, std::vector<Arg>* bound);
  void EvalArguments(Call* evaluated, std::span<Taint> taints, GivenFunctions* functions);
  [[nodiscard]] bool IsParameter(ExprId id) const;
  void EvalReceiver(Call* evaluated);
  Taint AnswerOfKnown(Call* known, bool* handled);
  void JudgeAnyCall(Call* judged, Taint* result);
  void JudgeSampled(const Call& call);
  [[nodiscard]] bool IsDocstring(ExprId text) const;
  [[nodiscard]] bool ListsItsOwn(const Call& call) const;
  void JudgeHandedResult(const Call& call, const Taint& result);
  void TakeOffByHelper(const Call& call, Taint* result);
  void TakeFirstOf(const Call& call, Taint* result) const;
  void KeepAttribute(const Call& call);
  void CallGivenFunctions(const Call& call, Taint* result);
  // engine_unknown.cc: what nobody knows is taken to give back what it is given
  void JoinAnswerOfUnknown(Call* asked, Taint* result);
  [[nodiscard]] bool IsClientWithKey(ExprId object) const;
  [[nodiscard]] Taint KeptOfArguments(const Call& call) const;
  void JudgePiped(const Call& call, ExprId into, const Taint& what);
  void NotePiped(const Call& call);
  void MarkWritten(const Call& call, Taint written);
  void TakeGivenPaths(const Call& call, Taint* given, Taint* result);
  void NoteArchive(const std::string& name, const Taint& packed);
  [[nodiscard]] Taint WrittenKey(const Call& call);
  void NoteFields(const Call& call);
  [[nodiscard]] ExprId HolderOf(ExprId part) const;
  void KeepInReceiver(const Call& call, const Taint& given);
  void KeepInContainers(ExprId receiver, const Taint& kept);
  [[nodiscard]] bool WritesToFirst(const Call& call) const;
  void KeepInFirst(const Call& call);
  void MarkJoinedWords(const Call& call, Taint* result);
  void TakePart(const Call& call, Taint* result);
  void NoteRouters(const Call& call);
  Taint EvalMember(ExprId expr);
  Taint OfOrigin(ExprId expr);
  // `"?" for one in all`: nothing of all is in it; of the environment, those that are picked by a name of one's own.
  [[nodiscard]] Taint OfEach(const Expr& made, const Taint& all);
  // Functions of this file that give a text which stands in them, and nothing else: `() => '?'`.
  [[nodiscard]] bool GiveConstants(std::span<const std::pair<std::uint32_t, Value>> functions);
  [[nodiscard]] bool GiveRecords(std::span<const std::pair<std::uint32_t, Value>> functions) const;
  // Variables picked by a prefix: those of the program itself.
  [[nodiscard]] bool PicksItsOwn(std::string_view text) const;
  [[nodiscard]] bool IsElicited(ExprId answer) const;
  void Narrow(const Expr& part, std::string_view key, Taint* taint);
  bool NarrowToVariable(std::string_view key, Taint* taint) const;
  [[nodiscard]] bool IsOneServer(ExprId servers, std::string_view name) const;
  // engine_assign.cc
  void Assign(ExprId target, ExprId value, const Taint& taint, bool strong, int depth);
  void AssignPart(ExprId target, ExprId value, const Taint& taint, int depth);
  [[nodiscard]] std::string_view KeyOf(const Expr& part) const;
  void Store(std::uint32_t slot, Taint what, bool replace);
  void NotePutEntry(std::string_view key, const Taint& what, ExprId value);
  [[nodiscard]] bool IsWholeEnvironment(ExprId value, int depth);
  [[nodiscard]] bool HoldsWhole(std::string_view key) const;
  [[nodiscard]] std::uint32_t OwnAttribute(ExprId member) const;
  const CatalogueEntry* EntryOf(ExprId expr, const Value& value);
  [[nodiscard]] const ModuleView& view() const { return *states_[module_].view; }
  [[nodiscard]] const Module& code() const { return states_[module_].view->module(); }
  [[nodiscard]] std::string_view TextAt(Loc loc) const {
    return loc.begin < loc.end && loc.end <= code().text.size() ? code().text.substr(loc.begin, loc.end - loc.begin)
                                                                : std::string_view();
  }
  FunctionFacts& facts(std::uint32_t module, FuncId function) { return facts_[module][function]; }
  FunctionFacts& here() { return facts_[module_][function_]; }

  Taint CallFunction(const Value& callee, std::span<const Arg> args, std::span<const Taint> taints,
                     const Taint& receiver, ExprId at);
  // objects.cc: what objects carry, and methods of objects of which little is known.
  void StoreElsewhere(std::uint32_t module, std::uint32_t slot, Taint what);
  [[nodiscard]] bool FindElsewhere(const Value& owner, std::string_view name, std::uint32_t* module,
                                   std::uint32_t* slot) const;
  [[nodiscard]] std::uint64_t SharedVariable(ExprId name) const;
  void StoreField(ExprId name, std::string_view field, Taint what);
  [[nodiscard]] Taint FieldOfShared(ExprId name, std::string_view field) const;
  [[nodiscard]] ExprId BoundAt(ExprId name) const;
  // implicit_calls.cc
  using MethodNames = std::span<const std::string_view>;
  Taint CallImplicit(const Value& object, MethodNames names, const Taint& receiver, ExprId at);
  Taint OfProperty(const Value& owner, std::uint32_t slot, const Taint& receiver, ExprId at);
  Taint GivenByObject(const Stmt& stmt);
  void Throw(ExprId thrown);
  Taint SaidInPlace(ExprId part, ExprKind place);
  Taint SaidByObject(const Call& call);
  void FillRecord(const Value& klass, std::span<const Arg> args, std::span<const Taint> taints);
  void GiveObject(std::uint32_t module, FuncId function, std::size_t param, ExprId given);
  [[nodiscard]] TargetSpan ObjectsOf(ExprId owner) const;
  [[nodiscard]] TargetSpan PartObjects(ExprId table, FuncId scope, std::string_view part,
                                       std::string_view called = {}) const;
  void GiveDecorated();
  Taint CallGiven(const Call& call, std::span<const Taint> taints);
  [[nodiscard]] ExprId ContainerOf(ExprId one, FuncId* scope) const;
  bool ForEachPut(std::uint64_t shared, std::string_view key, const std::function<void(const Value&)>& take) const;
  Taint CallPut(const Call& call, std::span<const Taint> taints);
  Taint CallElements(const Call& call, std::span<const Taint> taints, bool* exact);
  void ListMethods();
  Taint CallByName(const Call& call, std::span<const Taint> taints, bool* exact);
  Taint CallImplementations(const Call& call);
  void CallSetter(const Value& owner, ExprId target, ExprId value, const Taint& taint);
  void GoThrough(std::string_view function, ExprId at, Taint* part);
  // `at`: where the function is handed over; kNone: nobody knows. `said`: what it is given, where that is one thing.
  void CallBack(const Value& function, const Taint& taint, Taint* result, ExprId at = kNone, ExprId said = kNone);
  [[nodiscard]] Taint AnswerOf(const std::string& host, std::string_view address, ExprId at);
  [[nodiscard]] Taint AnswerAsked(const FunctionFacts& about, std::span<const Arg> args,
                                  std::span<const std::size_t> places, std::span<const Taint> taints, ExprId at);
  void JudgeSentOn(const SentParam& sent, const Taint& given, ExprId at);
  [[nodiscard]] Taint NamedPlace(ExprId path);
  void NoteHanded(const Call& call);
  [[nodiscard]] bool TakesAnswer() const;
  void NoteSpawned(ExprId words);
  void JudgeSpawned(std::uint32_t params, std::span<const Arg> args, std::span<const std::size_t> places,
                    std::span<const Taint> taints, ExprId at);
  void NoteLent(std::uint32_t module, FuncId function, std::size_t param, ExprId arg);
  [[nodiscard]] std::string LentAs(ExprId callee) const;
  void HandOver(const FunctionFacts& about, std::span<const Arg> args, std::span<const std::size_t> places,
                std::span<const Taint> given, ExprId at);
  void JudgeGiven(const CatalogueEntry* entry, const Value& function, const Taint& given, ExprId at);
  void DispatchNamed(const Call& call);
  void Checked(std::span<const Arg> args);
  [[nodiscard]] bool PicksFromWords(ExprId expr) const;
  [[nodiscard]] bool WrapsCoded(ExprId expr) const;
  void MarkPieced(std::string_view literal, Taint* taint) const;
  // known.cc: what is known of values across functions
  [[nodiscard]] std::string Known(ExprId expr);
  // ... of an expression that may stand in another function: only this one's callers are known.
  [[nodiscard]] std::string KnownIn(ExprId expr, FuncId scope) {
    return scope == function_ ? Known(expr) : view().Text(expr, scope);
  }
  [[nodiscard]] std::string FilledHost(ExprId address);
  [[nodiscard]] std::string KnownParam(std::uint32_t module, std::uint32_t slot);
  [[nodiscard]] std::string KnownField(ExprId table, std::string_view key, FuncId scope) const;
  [[nodiscard]] std::string KnownPath(ExprId id);
  [[nodiscard]] bool IsGivenByNobody(ExprId arg) const;
  [[nodiscard]] const GivenText::Fields* FieldsGiven(ExprId name, FuncId scope) const;
  void NoteSystemKeys(ExprId said);
  void NoteSent(const Taint& data, const std::string& host, bool aside);
  void GiveText(std::uint32_t module, FuncId function, std::size_t param, ExprId arg);
  // What a handle was made by, and what that was called on: through names, members and calls chained to each other.
  // for (Maker made = MakerOf(handle); made.expr != kNone; made = MakerBehind(made)): at most eight.
  struct Maker {
    ExprId expr = kNone;
    FuncId scope = kModuleBody;
    int left = 8;
  };
  [[nodiscard]] Maker MakerOf(ExprId handle) const { return Made({.expr = handle, .scope = function_}); }
  [[nodiscard]] Maker MakerBehind(const Maker& made) const;
  [[nodiscard]] Maker Made(const Maker& handle) const;
  [[nodiscard]] std::string HostOfOptions(ExprId options, FuncId scope, int depth);
  [[nodiscard]] std::string HostOfHandle(ExprId handle);
  [[nodiscard]] std::string HostHere() const;
  [[nodiscard]] bool IsEntry() const;  // the function being read is one that an agent calls
  [[nodiscard]] const Expr* FunctionOf(const Call& call) const;
  bool Deferred(const Call& call, Taint* result);
  // listeners.cc
  void Listen(const Call& call, std::span<const std::pair<std::uint32_t, Value>> functions);
  void Tell(const std::string& object, std::string_view event, const Taint& given, ExprId at, ExprId said = kNone);
  void Hear(const std::string& object, std::string_view event, const Value& listener);
  [[nodiscard]] std::string TellerOf(ExprId object) const;
  [[nodiscard]] bool IsEmitter(ExprId object) const;
  [[nodiscard]] std::string EventNamed(ExprId name) const;
  void FindLogHandlers();
  void TellLog(const Call& call);
  [[nodiscard]] std::string NameOfEvent(ExprId event) const;
  [[nodiscard]] Taint Awaited(const Call& call);
  void FeedStream(const Call& call, const Expr& method);
  void PourOn(const Call& call, const Taint& put);
  void ListenByName(ExprId target, ExprId value);
  void Fill(const Call& call, std::string_view last);
  void Settles(const Call& call);
  Taint Source(Labels label, ExprId at, std::string text);
  Taint EnvRead(std::string_view name, ExprId at);
  void TakeNamed(const Taint& name, ExprId at, Taint* value);

  Taint Judge(Call& call, bool* handled);  // sinks.cc
  void JudgePiecedName(const Call& call);
  // sinks_network.cc
  Taint JudgeNetwork(Call& call);
  Taint JudgeHttp(Call& call);
  Taint JudgeConnect(Call& call);
  Taint JudgeSocketSend(Call& call);
  Taint JudgeSocketReceive(Call& call);
  [[nodiscard]] std::string HostOfRequest(const Call& call, ExprId url, const std::string& text);
  void JudgeCarried(const Call& call, const Taint& headers, const std::string& host);
  [[nodiscard]] bool IsStoreOfHost(const Taint& data, Labels of, std::string_view host) const;
  [[nodiscard]] bool IsStoreOfOthers(const Taint& data, Labels of, std::string_view host) const;
  void JudgeUnverified(const Call& call, const Taint& data, const std::string& host);
  void JudgeChosenAddress(const Call& call, ExprId url, bool no_text, const Taint& target, const Taint* headers);
  Taint AnswerOfRequest(const Call& call, const std::string& text, const std::string& host, const Taint& target);
  [[nodiscard]] std::string HostOfList(ExprId url) const;
  [[nodiscard]] ExprId HeadOf(ExprId text) const;
  // sinks_code.cc
  Taint JudgeProcess(Call& call);
  Taint JudgeStarted(Call& call);
  Taint JudgeCode(Call& call);
  void JudgeLoaded(const Stmt& stmt, const Taint& given);
  void JudgeReduced(const Stmt& stmt);
  Taint JudgeDeserialize(Call& call);
  Taint JudgeExecutableMemory(Call& call);
  Taint JudgeRawMemory(Call& call);
  // sinks_spawn.cc
  struct Spawned;
  void JudgeSpawn(Call& call);
  bool JudgeSpawnOptions(const Call& call);
  void FindWords(const Call& call, bool shell, Spawned* found);
  void NoteCloned(const Call& call, const Spawned& spawned);
  bool JudgeShellWords(Call& call, const Spawned& spawned);
  std::string LineOfWords(const Call& call, const Spawned& spawned, bool pip);
  void JudgeChosenProgram(const Call& call, const Spawned& spawned);
  void JudgeReadProgram(const Call& call, const Spawned& spawned);
  void JudgeInnerProgram(const Call& call, const Spawned& spawned);
  // sinks_files.cc
  struct FileAt;
  Taint JudgeFile(Call& call);
  void TakeSecretPlace(const Call& call, FileAt* read) const;
  [[nodiscard]] FileAt FileOf(const Call& call);
  [[nodiscard]] bool ReadsStandardInput(const Call& call, std::string_view path) const;
  [[nodiscard]] bool OpensToWrite(const Call& call, bool on_path) const;
  Taint JudgeFileWrite(Call& call, FileAt* written);
  void CopyOnto(const Call& call, FileAt* onto, Taint* data);
  void KeepWritten(const Call& call, const FileAt& file, Taint* written);
  Taint KeepArchive(const Call& call);
  Taint JudgeFileRead(Call& call, FileAt* read);
  [[nodiscard]] PathKind KindOfFile(const FileAt& file) const;
  void JudgeReadPath(const Call& call, const FileAt& file);
  Taint ListFiles(const Call& call, const FileAt& file, PathKind kind, const Taint& kept);
  Taint ReadFile(const Call& call, const FileAt& file, const Taint& kept);
  Taint JudgeFileDelete(Call& call);
  // sinks_values.cc
  Taint JudgeVariable(Call& call);
  Taint JudgeSecretStore(const Call& call);
  Taint JudgeSql(const Call& call);
  Taint JudgeTemplate(const Call& call);
  Taint JudgeDecode(const Call& call);
  std::string ConstantBehind(ExprId expr);
  void JudgeTimer(const Call& call);
  Taint JudgeCheck(const Call& call);
  // sinks.cc
  void JudgeSend(Call& call, const Taint& data, std::string_view host, const Taint& target);
  [[nodiscard]] bool NamesFilesOnly(ExprId command, std::string_view program);
  [[nodiscard]] bool FormsCommand(ExprId command) const;
  [[nodiscard]] bool TakesFromTable(ExprId command) const;
  [[nodiscard]] bool ToOwnChat(const Call& call);
  void JudgeShellText(Call& call, ExprId command, const Taint& taint);
  void JudgeCommand(std::span<const ShellUse> acts, ExprId command, const std::string& text);
  void JudgeRunByName(const Call& call);
  [[nodiscard]] bool IsRest(ExprId name) const;
  void JudgeEval(Call& call);
  void JudgeNative(Call& call);
  void JudgeFarModule(const Call& call, std::string_view name);
  void Remember(ExprId at, const std::string& line);
  void JudgeScript();
  [[nodiscard]] bool IsTableItem(ExprId expr) const;
  [[nodiscard]] bool Unpacks(ExprId data) const;
  [[nodiscard]] bool RunsItsFiles(const Call& call);
  [[nodiscard]] bool RunsFiles(std::string_view program, ExprId at) const;
  [[nodiscard]] const Taint* WrittenIn(std::string_view command) const;
  [[nodiscard]] bool LettersOfFile(const Call& call) const;
  void JudgeUnseenLetters(const Call& call);
  [[nodiscard]] bool ComputesText(const Call& call, bool* letters);
  [[nodiscard]] bool MakesFunctions(ExprId callee) const;
  void JudgeMaker(const Call& call, ExprId callee);
  Taint ComputedBy(const Call& call, std::span<const std::pair<std::uint32_t, Value>> functions);
  [[nodiscard]] bool StandsOnConstant(ExprId expr) const;
  [[nodiscard]] std::uint32_t ParamsWithin(ExprId expr);
  void JudgePicture(ExprId text, const Taint& taint);
  void JudgeAddress(ExprId text, const Taint& taint);
  void JudgePayee(const Expr& target, ExprId value);
  void JudgeBeacon(const Expr& target, ExprId value, const Taint& taint);
  void JudgeServed(const Call& call);
  [[nodiscard]] bool WritesHarm();
  [[nodiscard]] bool HoldsHarm() const;
  [[nodiscard]] bool WritesStartLine() const;
  [[nodiscard]] bool WritesImportLine() const;
  [[nodiscard]] bool WritesLiterals(ExprId program) const;
  [[nodiscard]] bool FixesProgram(ExprId command) const;
  [[nodiscard]] bool IsCommandLine(ExprId list) const;
  [[nodiscard]] double OneOfSeveral(const Call& call, const Taint& path) const;
  [[nodiscard]] std::string PathOfTable(const Call& call);
  void NoteInstructions(const Call& call, std::string_view path);
  void JudgeWrite(Call& call, const std::string& path, const Taint& path_taint, const Taint& data);
  void JudgeWrittenPlace(const Call& call, const std::string& path, PathKind kind, const Taint& data);
  void JudgeStartLine(const Call& call, const std::string& path, const Taint& data);
  void JudgeUnguarded(const Call& call, const std::string& path, const Taint& data);
  void JudgeWrittenPath(const Call& call, const std::string& path, const Taint& path_taint);
  [[nodiscard]] bool CallsWrapped() const;
  bool JudgeRelay(const Call& call, const Taint& data, const std::string& host, bool bad);
  void JudgeMemory(Call& call);
  [[nodiscard]] bool KeepingIsPurpose() const;
  void JudgeCondition(const Stmt& stmt);
  void JudgeHashedAnswer(const Stmt& stmt);
  void JudgeHashedWord(const Stmt& stmt, std::span<const ExprId> parts);
  [[nodiscard]] bool NamesDay(ExprId at) const;
  [[nodiscard]] bool ClearsTree(const Call& call);
  // picked_names.cc
  [[nodiscard]] Labels SoughtBy(ExprId test, FuncId scope, ExprId* what) const;
  void TakeFiltered(const Call& call, Taint* result);
  void PickByName(ExprId test);
  void JudgeThrownAway(const Call& call);
  void JudgeTrigger(Call& call, const Taint& data, bool fixed, std::string_view host);
  [[nodiscard]] std::string_view StatePart(std::uint32_t slot) const;
  void JudgeSpread(ExprId value);
  void JudgeTable(ExprId value);
  void NoteListed(ExprId item, Taint* taint);
  void JudgeNamedParts(ExprId given);
  void JudgeWrittenPart(const Stmt& stmt, std::uint32_t slot);
  [[nodiscard]] bool IsLookedUp(ExprId value) const;
  void JudgeState(const Stmt& stmt);
  void ReadState(std::string_view key);
  void WriteState(std::string_view key, ExprId value, const Taint& taint, ExprId at);
  [[nodiscard]] Taint DestinationOf(ExprId value);
  void FinishState();
  [[nodiscard]] std::string FixedAmong(ExprId list);
  void JudgeMailCopy(ExprId dict);
  void JudgeReceivers(const Call& call);
  void JudgeReceiverList(std::uint32_t module, FuncId scope, ExprId receivers, ExprId at);
  void JudgeEnvelope(ExprId envelope);
  // sinks_given.cc
  [[nodiscard]] std::string FixedPrincipal(const Call& call, std::string_view said);
  void JudgeGrants(const Call& call);
  void JudgeFields(ExprId dict);
  void JudgeShare(ExprId dict);
  [[nodiscard]] Taint KeptAt(std::string_view path, ExprId at);
  Taint JudgeTaken(Call& call);
  [[nodiscard]] Taint HookField(ExprId id, std::string_view key);
  [[nodiscard]] Taint StandardInput(ExprId at);
  void JudgeHookSend(const Call& call, const Taint& data, const std::string& host);
  [[nodiscard]] bool AsksForRoleKeys(std::span<const Arg> args);
  [[nodiscard]] Taint FieldOf(std::string_view name, ExprId target, const Taint& whole, int depth);
  // state_parsed.cc
  void JudgeAssignedByText();
  void JudgeConfigured(ExprId dict);
  void JudgeRouted(ExprId dict);
  [[nodiscard]] bool Shares(ExprId call, std::string_view said) const;
  void JudgeDefinition(std::span<const Arg> fields);
  [[nodiscard]] std::uint32_t RootOf(ExprId expr) const;
  [[nodiscard]] bool IsParsed(std::uint32_t slot) const;
  [[nodiscard]] std::string_view Around(const Loc& loc) const;
  [[nodiscard]] bool ReadsOthersText() const;
  [[nodiscard]] std::string ControlledBy(ExprId container) const;
  void JudgeNamedStep(ExprId value);
  [[nodiscard]] bool IsTableOfWords(ExprId value) const;
  void JudgeRanked(const Call& call, std::string_view last);
  void JudgeSelfRanked(const Call& call);
  void JudgeTask(ExprId dict);
  void JudgeLikeFetch(Call& call);
  void JudgeRemoteCommand(const Call& call, std::string_view last);
  [[nodiscard]] bool GivenHarm(const Call& call);
  void JudgeSettingsCall(const Call& call, std::string_view last);
  [[nodiscard]] Taint OfRunner(const Call& call);
  void JudgeJob(ExprId dict);
  void JudgeWall(const Call& call);
  void JudgeDropped(const Call& call, std::string_view last);
  void JudgeReturned();
  [[nodiscard]] bool DecodesHere(ExprId command) const;
  [[nodiscard]] bool IsQueryOf(ExprId expr) const;
  [[nodiscard]] bool IsToolExtra() const;
  void JudgeCopied(std::string_view key, ExprId value);
  void JudgeExchanged(ExprId choice);
  void JudgeRecord(const Call& call, const std::string& path, bool emptied);
  // sinks_paths.cc
  void MarkJoined(const Call& call, Taint* result) const;
  [[nodiscard]] bool ListsArchive(std::string_view member) const;
  void JudgeShared(const Call& call, std::string_view last);
  void JudgeKeys(ExprId target, const Taint& value);
  [[nodiscard]] const Packing& PackingOf();
  [[nodiscard]] bool PacksFetcher();
  [[nodiscard]] bool IsClosedType(ExprId annotation, FuncId scope) const;
  [[nodiscard]] bool ShapedBySchema(std::string_view key);
  [[nodiscard]] bool Reshapes(const Call& call, std::string_view last) const;
  [[nodiscard]] bool AsksWhetherListed(const Call& call, std::string_view last) const;
  [[nodiscard]] bool LeavesBehind(std::size_t end) const;
  [[nodiscard]] bool LetsOnlyNamesPast(const Call& call, std::string_view last) const;
  [[nodiscard]] bool RefusesSigns(const Call& call) const;
  // guards.cc: checks that leave a caller's text nothing to say.
  void TakeGuards(const Call& call, std::string_view last, Taint* result);
  [[nodiscard]] std::string LettersOf(ExprId set) const;
  [[nodiscard]] ExprId CheckedForSums(const Call& call, std::string_view last) const;
  [[nodiscard]] std::uint32_t CheckedEachLetter(const Call& call) const;
  void SettleLetters(ExprId letter, ExprId allowed);
  void SettleSubset(ExprId asked);
  [[nodiscard]] bool LeavesSumsOnly(const Call& call, std::string_view last) const;
  void Settled(ExprId name);
  [[nodiscard]] static bool KeepsInside(std::string_view body);
  // state_kept.cc
  void NoteLeading(const Call& call);
  [[nodiscard]] Taint ToolAnswer(const Call& call, std::string_view last);
  void JudgeStateGiven(const Call& call, std::string_view last);
  void FindKeepers();
  void JudgeDecision(std::string_view key, ExprId target, ExprId value);
  void JudgeReworded(std::string_view key, ExprId target, ExprId value);
  // taps.cc
  void Tap(std::uint32_t module, FuncId function, std::string what);
  void TapCallbacks();
  void TapDecorators();
  void TapSharedHandlers();
  void TapHandlers();
  void TapDecoratorsOf(std::uint32_t module, FuncId function, std::string_view what);
  void TakeRequests();
  void TakeRoutes(std::uint32_t module);
  void Serve(std::uint32_t module, FuncId function);
  [[nodiscard]] bool IsOwnPart(std::uint32_t module, ExprId annotation) const;
  [[nodiscard]] bool OwnClass(ExprId name) const;
  void NoteTap(ExprId target, ExprId value);
  void NoteTapCall(const Call& call);
  // given_fields.cc: of tables that callers write out, each field by itself
  void NoteGivenFields(std::uint32_t module, FuncId function, std::size_t param, ExprId arg, const Taint& given);
  [[nodiscard]] bool IsUsedWhole(ExprId table, std::size_t param) const;
  void NarrowToField(ExprId table, std::string_view key, Taint* taint);
  [[nodiscard]] std::string FieldText(std::uint32_t module, FuncId scope, ExprId member) const;
  [[nodiscard]] Taint WholeRecord(const Call& call);
  [[nodiscard]] Taint WholeOf(ExprId object);
  [[nodiscard]] Value ObjectAt(ExprId object) const;
  void JoinRecord(std::uint32_t module, ClassId klass, int depth, Taint* all);
  [[nodiscard]] Taint CallByPrefix(const Call& call, ExprId owner, ExprId name, std::span<const Taint> taints);
  // made_by.cc
  [[nodiscard]] Value MakerFunction(ExprId made) const;
  [[nodiscard]] static bool InstallsByName(std::string_view line);
  [[nodiscard]] bool MakesFixedProgram(ExprId command) const;
  [[nodiscard]] bool ProgramIsFixed(ExprId head, bool reads_text) const;
  [[nodiscard]] bool IsOnlyDefault(ExprId text) const;
  [[nodiscard]] bool MakesBodilessRequest(ExprId request) const;
  void JudgeWorkerData(Call& call);
  // sinks_copied.cc
  bool JudgeCopied(const Call& call, const std::string& host);
  // taps_handed.cc
  void TapWithin(ExprId value, const std::string& what, int depth);
  void NoteRegistered(const Call& call);
  void NoteLogHandler(const Call& call);
  [[nodiscard]] bool DrivesBrowser() const;
  [[nodiscard]] bool OnlyOwnBrowsers() const;
  void NoteWatcher(const Call& call);
  void TapKeepers();
  [[nodiscard]] bool StandsBeforeRoutes() const;
  [[nodiscard]] bool IsMiddleware(std::uint32_t module, FuncId function) const;
  [[nodiscard]] Taint BroughtBy(const Call& call);
  [[nodiscard]] bool IsConnection(ExprId value) const;
  bool JudgeMirroredRequest(const Call& call, const Taint& data, const std::string& host);
  void JudgeSpan(const Call& call);
  void TapValue(ExprId value, const std::string& what);  // taps.cc
  [[nodiscard]] const std::string& TappedHere() const;
  [[nodiscard]] bool WatchingIsPurpose() const;
  bool JudgeTapped(const Call& call, const Taint& data, const std::string& host, HostKind kind);
  bool JudgeMirrored(ExprId at, const Taint& data, const std::string& host);
  [[nodiscard]] double HowSure(const Taint& file) const;
  [[nodiscard]] bool IsNoServicesKey(const Taint& data) const;
  [[nodiscard]] bool IsOwnPath(ExprId id) const;
  void JudgeHandedOver(const Call& call, std::string_view last);
  void JudgeApproval(const Call& call);
  void JudgeElicited(const Call& call, Taint* result);
  void JudgeDiverted(ExprId at, ExprId value, bool clipboard);
  // sinks_harm.cc
  [[nodiscard]] std::string_view AroundHere() const;
  void JudgeHarm(const Call& call);
  void JudgeEmptied(const Call& call);
  void JudgeBackups(const Call& call);
  void JudgeByCountry(const Call& call);
  void JudgeForeignFile(const Call& call);
  void JudgeWeakened(const Call& call);
  void JudgePart(const Call& call);
  void JudgeTag(const Call& call);
  void JudgePool(const Call& call);
  void JudgeFilled(const Call& call);
  void JudgeReadOnly(const Call& call);
  void JudgeForwarding(const Call& call);
  void JudgePassed(ExprId target, ExprId value);
  void JudgeChance(ExprId answer);
  void JudgeSwapped(const Call& call);
  void JudgeRedefined(ExprId target, ExprId value);
  void JudgeSwapped(ExprId listed);
  void JudgeSwappedText(ExprId said);
  [[nodiscard]] bool HangsOnBefore(ExprId test, FuncId scope, int depth);
  void JudgeRecoded(ExprId target, ExprId value);
  void JudgeEndless(const Call& call);
  // habits.cc
  void JudgeHabits();
  void JudgeDeeds();
  [[nodiscard]] bool PipesShell() const;
  void JudgeTied(ExprId target, ExprId value);
  void JudgeProduct(ExprId product);
  void JudgeAccount(const Stmt& stmt);
  [[nodiscard]] bool MadeOfNumbers(ExprId text);
  [[nodiscard]] bool ComparesAmount(ExprId test) const;
  void JudgeRewriter(std::string_view body);
  [[nodiscard]] bool IsOfParameter(ExprId value, int depth = 0) const;
  void JudgePieces(std::string_view body);
  void JudgePrefix(std::string_view body);
  void JudgePadding(ExprId at, std::string_view words, std::string_view times);
  [[nodiscard]] std::string HostWithin(ExprId value) const;
  // sinks_weak.cc
  void JudgeWeak(const Call& call, std::string_view last, bool method);
  void JudgeStatement(const Call& call);
  void JudgePeer(ExprId at);
  void JudgePeerOfAll(ExprId at);
  void JudgePeerVariable(ExprId at, std::string_view name, ExprId value);
  void JudgeLoosened(ExprId target, ExprId value);
  void JudgePeerField(ExprId dict);
  void JudgePeerCall(const Call& call, std::string_view last);
  void JudgeDoor(const Call& call, std::string_view last);
  void JudgeNamedKey(ExprId at, std::string_view name, ExprId value);
  void JudgeBusyPattern(const Call& call, std::string_view last);
  void JudgeWalk();
  [[nodiscard]] bool Repeats() const;
  Taint ToldFrom(ExprId member, std::string_view key);
  Taint ToldByCall(ExprId at, ExprId params, std::string_view key);
  [[nodiscard]] bool IsParams(ExprId value, int depth) const;
  [[nodiscard]] bool LetsIn(const Stmt& test) const;
  [[nodiscard]] bool DecidesAccess() const;
  [[nodiscard]] bool IsDigestInCode(ExprId side) const;
  [[nodiscard]] std::string DoorOf(ExprId word, const std::string& other);
  void JudgeHiddenDoor(const Stmt& stmt);
  void JudgeWiped(const Call& call, std::string_view last);
  [[nodiscard]] bool OfSettings(ExprId value) const;
  [[nodiscard]] const CatalogueEntry* PartialOf(ExprId callee, ExprId* bound) const;
  [[nodiscard]] std::string_view SaidBy(ExprId value) const;
  [[nodiscard]] bool IsSafeLoader(ExprId loader) const;
  [[nodiscard]] bool RunsInPage() const;
  void JudgeUnpacked(const Call& call, std::string_view last);
  [[nodiscard]] bool RefusesSomeNames(ExprId url) const;
  void JudgeAnswer(const Stmt& stmt, const Taint& taint);
  void JudgeNamedVariable(const Call& call, ExprId name, const Taint& given);
  void JudgeReport(const Call& call, const Taint& data, const std::string& host);
  void JudgeSendHere(const Call& call, const Taint& data, const std::string& host);
  void JudgeHiddenAddress(const Call& call, ExprId url);
  [[nodiscard]] std::string HostOfConnection(const Call& call);
  // How the regular expression is written that the call asks; its first 200 bytes, "": none.
  [[nodiscard]] std::string_view PatternOf(const Call& call) const;
  [[nodiscard]] bool IsOneOfWords(ExprId part) const;
  [[nodiscard]] bool TestsWhole(const Call& call, std::string_view last) const;
  bool JudgeAside(ExprId at, const Taint& data, const std::string& host);
  void JudgeKeptAside(ExprId at_call, const Taint& data, const std::string& host);
  [[nodiscard]] bool SendsAside();
  [[nodiscard]] bool IsHushed();
  bool JudgeUnanswered(const Call& call, const Taint& data, const std::string& host);
  [[nodiscard]] bool IsStatement(const Call& call) const;
  // ... of what the tool being read was given, which does its work besides.
  [[nodiscard]] bool SendsBesideWork(std::string_view host);
  [[nodiscard]] bool SendingIsPurpose();
  [[nodiscard]] bool AnswersRows(std::string_view method, ExprId client) const;
  [[nodiscard]] bool ReroutesPackages(std::string_view path) const;
  void JudgeSentFile(const Call& call, std::string_view last);
  [[nodiscard]] bool Pieced(ExprId text);
  [[nodiscard]] bool AsksHere() const;
  [[nodiscard]] bool AsksForConsent();
  [[nodiscard]] bool Confirms(FuncId function, std::size_t before) const;
  [[nodiscard]] bool AsksInside(ExprId test) const;
  [[nodiscard]] bool Asks() const;
  [[nodiscard]] bool ReadsInvisible() const;
  [[nodiscard]] bool Locked() const;
  [[nodiscard]] bool GuardsByWords(ExprId value) const;
  void Dispatch(const Call& call);
  // sinks_channel.cc, sinks_commands.cc
  void JudgeSentBy(const Call& call, std::string_view program, std::span<const ExprId> words, FuncId scope);
  void JudgeToldShell(const Call& call);
  void JudgeFedProgram(const Expr& target, const Taint& fed);
  void JudgeStdin(const Expr& target, const Taint& given);
  void JudgeSentByLine(const Call& call, const std::string& line, const Taint& taint);
  void JudgeSentAlong(const Call& call, std::string_view last);
  void JudgeFed(const Call& call, const Taint& data);
  [[nodiscard]] std::string HostOfAccount(const Call& call);
  void MarkArchivedBy(const Call& call, const std::string& line);
  void MarkArchive(const Call& call, std::string_view last, const Taint& put);
  Taint JudgeLookup(Call& call);
  void JudgeLookedUp(const Call& call, const std::string& name, const Taint& target);
  void NoteLogHandler(const Call& call, std::string_view last);
  void JudgePushedAlong(const Call& call);
  void JudgeReportHook(std::span<const Arg> fields, ExprId at);
  void JudgeReportedBy(ExprId hook, const std::string& host, ExprId at);
  [[nodiscard]] Taint OfKeyChain(const Call& call);
  void JudgeHeaders(ExprId headers, const std::string& host);
  void JudgeClientHeaders(const Call& call);
  void JudgeLogged(const Call& call, std::string_view last);
  void JudgeFollowed(const Call& call, const Taint& target);
  void JudgePictureData(const Call& call, std::string_view last);
  void JudgeOverwritten(const Call& call, const Taint& path);
  [[nodiscard]] bool Encodes(const Call& call, std::string_view last) const;
  // sinks_kept.cc
  [[nodiscard]] bool OffersMemory();
  void JudgeSeeds(const Call& call, std::string_view last, bool own);
  void JudgeLeftOrder(ExprId value);
  void JudgeKeptTable(ExprId dict);
  void JudgePayee();
  void JudgePrograms();
  void JudgeKeptLines();
  void JudgeKeptCommands();
  [[nodiscard]] std::vector<std::string> TextsWithin(ExprId value) const;
  // sinks_rows.cc
  [[nodiscard]] std::vector<std::vector<Cell>> RowsOf(ExprId table, FuncId scope, int depth) const;
  ExprId ColumnOf(ExprId name, std::uint32_t* column, FuncId* scope) const;
  void JudgeOption(const Call& call, std::span<const ExprId> words);
  void JudgeRows(const Call& call, std::span<const ExprId> words, FuncId scope);
  void JudgeIndexWords(ExprId list);
  void JudgeSettings(ExprId dict);
  void JudgeMadeMemory(ExprId dict);
  // sinks_run.cc
  struct Word {
    ExprId expr = kNone;
    FuncId scope = kModuleBody;
  };
  void WordsOf(ExprId list, FuncId scope, int depth, std::vector<Word>* words) const;
  [[nodiscard]] std::string WordAt(const Word& word);
  void JudgeWords(const Call& call, ExprId list, FuncId scope);
  void JudgeLine(const Call& call, const std::string& line);
  void JudgeWrittenProgram(const Call& call, std::string_view path);
  void JudgeWrittenByHandle(const Call& call);
  void KeepUnpacked(const Call& call);
  [[nodiscard]] Taint OutputOfOwn(const Call& call, std::string_view command);
  void HandOut(const Call& call, const std::string& line, const Taint& words);
  void TakeOver(std::vector<RawFinding>& findings, std::string_view line);
  [[nodiscard]] std::string EncodedHere(std::string_view line) const;
  [[nodiscard]] bool EncodesHere(std::string_view line);
  void JudgeInstalled(const Call& call, const std::string& line);
  void RunnerLine(const std::string& runner, std::span<const Arg> args, const Function& shape, bool method, ExprId at);
  // sinks_agent.cc
  Taint JudgeAgent(Call& call);
  Taint JudgePrompt(const Call& call);
  void MarkRouters();
  void MarkHandle(ExprId handle, const Taint& taint);
  void JudgeAgentCall(const Call& call, std::string_view last, bool method);
  void NoteLogConfig(ExprId config);
  void JudgeRelayedClient(const Call& call, std::string_view last);
  void JudgeGraphCall(const Call& call, std::string_view last);
  void JudgeOpenParser(const Call& call, std::string_view last);
  void JudgeDocumentQuery(const Call& call, std::string_view last);
  void JudgeOpenServer();
  // sinks_tamper.cc
  void JudgeModule();
  void JudgeLookAlikeNames();
  void JudgeImport(Call& call);
  void JudgeContainerSpec(ExprId dict);
  void JudgeAppended(ExprId part);
  [[nodiscard]] double EmptiesGuards();
  [[nodiscard]] double HoldsEmptied() const;
  [[nodiscard]] bool WritesOpenMode();
  [[nodiscard]] bool HoldsFetched() const;
  [[nodiscard]] std::string ServerAdded() const;
  bool WritesFetched();
  [[nodiscard]] bool HoldsOpenMode() const;
  // sinks_machine.cc
  Taint JudgeMachine(Call& call);
  Taint JudgeUpload(Call& call, ExprId to);
  Taint JudgeFeed(const Call& call);
  Taint JudgeWasm(const Call& call, const Taint& target);
  Taint JudgeRegistry(const Call& call);
  Taint JudgeFetched(const Call& call);
  void JudgeDelete(Call& call, const std::string& path, const Taint& target);
  void JudgeTold(const Call& call, std::string_view last);
  void JudgeBase(const Call& call);
  void JudgeRank(const Call& call, std::string_view last);
  void JudgeInstruction(std::string_view name, ExprId value, const Taint& said);
  void JudgePair(ExprId list);
  void JudgeRole(ExprId dict);
  void JudgeEnvironmentWrite(ExprId at, std::string_view name, ExprId value);
  void JudgeEnvironmentText(ExprId at, std::string_view name, const std::string& text);
  void JudgeEnvironmentTable(ExprId at, ExprId table);
  void JudgeEnvironmentLoop(ExprId at, ExprId key);
  [[nodiscard]] ExprId TableOfLoop(ExprId key) const;
  void JudgeRoute(ExprId at, const std::string& host);
  bool AppendWords(const Expr& list, int depth, std::string* line) const;
  void JudgeCommandTables();
  [[nodiscard]] Taint OutputOf(const Call& call, const std::string& line);
  void MarkPath(ExprId path, const Taint& taint);
  void MarkCopied(std::string path, const Taint& taint);
  void JudgeNetFile(const Call& call, const Taint& taint);
  [[nodiscard]] bool OnlyHandlesFiles(const Call& call) const;
  [[nodiscard]] const Taint* FetchedPath(ExprId path, int depth);
  [[nodiscard]] Taint DataOf(const Call& call, bool* header_only);
  [[nodiscard]] Taint HeadersOfMade(const Call& call);
  [[nodiscard]] Taint DataOfOptions(const Call& call);
  [[nodiscard]] bool SendsAlone(const Call& call);
  bool SendsUnnamed(const Call& call);
  [[nodiscard]] bool IsChosenByName(const Call& call, std::string_view host) const;
  [[nodiscard]] ExprId TableIn(ExprId expr, int depth) const;
  [[nodiscard]] std::span<const Arg> SpreadItems(ExprId value) const;
  [[nodiscard]] ExprId OneArgument(const Call& call, const ArgRef& ref, Taint* taint);
  [[nodiscard]] ExprId Argument(const Call& call, const std::vector<ArgRef>& refs, Taint* taint);
  [[nodiscard]] Taint TaintOfArg(const Call& call, ExprId expr) const;
  void Use(const Call& call, core::Permission permission, std::string detail, bool chosen = false, bool shell = false);
  void Raise(std::string_view rule, ExprId at, const Taint& taint, Labels because, std::string message,
             double scale = 1.0, std::string host = {}, std::string decoded = {});
  void Raise(std::string_view rule, Loc loc, const Taint& taint, Labels because, std::string message,
             double scale = 1.0, std::string host = {}, std::string decoded = {});

  // The finding that was raised last, if it is one of this rule here.
  void Worsen(std::string_view rule, core::Severity severity);
  [[nodiscard]] bool FetchesAndRuns(std::string_view text, bool decodes = true) const;
  [[nodiscard]] bool WritesRunner();
  [[nodiscard]] bool HoldsRunner() const;
  template <class Answer>
  Answer Once(std::optional<Answer> Held::* known, Answer (Engine::*ask)() const);
};

}  // namespace interlock::scan::code
