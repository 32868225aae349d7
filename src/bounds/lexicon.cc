#include "lexicon.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "words.h"

namespace interlock::bounds {
namespace {

// What it stands for, then the words, separated by spaces. Verbs stand in kVerbs, things in kThings.
struct Entry {
  std::string_view means;
  std::string_view words;
};

constexpr Entry kVerbs[] = {
    {"send", "send email mail text forward ping notify tell reply deliver submit message inform contact"},
    {"send direct message", "dm pm"},
    {"send money", "transfer pay wire remit refund reimburse settle"},
    {"delete remove", "delete erase remove purge trash wipe kick boot drop discard clear"},
    {"cancel delete", "cancel abort"},
    {"update", "update change modify edit adjust alter reset set switch replace correct"},
    {"add", "add append include insert attach"},
    {"create add", "create make generate draft compose open start set"},
    {"schedule create", "schedule plan arrange organise organize"},
    {"reschedule update", "reschedule move postpone shift"},
    {"reserve", "reserve book"},
    {"post", "post publish announce"},
    {"post upload", "upload"},
    {"invite add", "invite onboard enroll enrol"},
    {"share", "share"},
    {"read get", "read check look view show retrieve fetch get grab pull find list give provide"},
    {"search", "search find look"},
    {"get visit", "visit browse navigate go click download"},
    {"send", "sent forwarded replied"},
    {"send money", "paid transferred wired remitted"},
    {"delete remove", "deleted removed erased"},
    {"update", "updated changed modified replaced"},
    {"add", "added"},
    {"create", "created scheduled"},
    {"reserve", "booked reserved"},
    {"post", "posted published uploaded"},
    {"invite add", "invited"},
    {"execute run",
     "execute run do perform initiate use call put write save buy purchase order sign ensure rename grant"},
    // German
    {"send", "sende senden sendet schicke schicken schickt maile antworte benachrichtige informiere teile"},
    {"send money", "überweise überweisen überweist zahle zahlen bezahle bezahlen"},
    {"delete remove", "lösche löschen löscht entferne entfernen"},
    {"cancel", "storniere stornieren annulliere absagen"},
    {"update", "ändere ändern aktualisiere aktualisieren setze setzen ersetze"},
    {"add", "füge hinzufügen ergänze ergänzen"},
    {"create", "erstelle erstellen erzeuge lege anlegen"},
    {"schedule", "plane planen terminiere"},
    {"reserve", "reserviere reservieren buche buchen"},
    {"post", "poste posten veröffentliche veröffentlichen"},
    {"invite", "lade einladen"},
    {"read get", "lies lesen zeige zeigen prüfe prüfen hole holen suche öffne"},
    // French
    {"send", "envoie envoyer envoyez transmets transmettre informe répondre réponds écris"},
    {"send money", "vire virer virez paie payer payez transfère transférer transférez"},
    {"delete remove", "supprime supprimer supprimez efface effacer effacez retire retirer retirez"},
    {"cancel", "annule annuler annulez"},
    {"update", "modifie modifier modifiez changer changez remplace remplacer mets mettre"},
    {"add", "ajoute ajouter ajoutez"},
    {"create", "crée créer créez"},
    {"schedule", "planifie planifier programme programmer"},
    {"reserve", "réserve réserver réservez"},
    {"post", "publie publier publiez poste poster"},
    {"invite", "inviter invitez"},
    {"read get", "lis lire lisez vérifie vérifier montre cherche ouvre obtiens récupère"},
    // Spanish, Portuguese, Italian
    {"send", "envía enviar envíe envia envie manda mandar mande invia inviare inviate responde notifica informa"},
    {"send money", "transfiere transferir transfiera paga pagar pague transfere trasferisci pagare"},
    {"delete remove", "elimina eliminar elimine borra borrar borre quita apaga apagar exclua remova rimuovi cancella"},
    {"cancel", "cancela cancelar cancele annulla"},
    {"update",
     "cambia cambiar cambie modifica modificar modifique actualiza actualizar altera alterar atualiza aggiorna"},
    {"add", "añade añadir agrega agregar agregue adiciona adicionar aggiungi"},
    {"create", "crea crear cree cria criar creare"},
    {"schedule", "programa programar agenda agendar pianifica"},
    {"reserve", "reserva reservar reserve prenota prenotare"},
    {"post", "publica publicar publique pubblica"},
    {"invite", "invita invitar invite convida convidar invitare"},
    {"read get", "lee leer lea verifica verificar comprueba muestra busca abre leggi controlla"},
    // Dutch
    {"send", "stuur sturen verstuur verzend"},
    {"send money", "betaal betalen overmaken maak"},
    {"delete remove", "verwijder verwijderen wis"},
    {"update", "wijzig wijzigen verander"},
    {"add", "voeg toevoegen"},
    {"reserve", "boek boeken reserveer"},
    {"invite", "nodig uitnodigen"},
};

constexpr Entry kThings[] = {
    {"message", "messages dm note nachricht nachrichten mensaje mensagem messaggio bericht"},
    {"email", "mail mails e-mail correo courriel"},
    {"money",
     "transaction payment amount funds sum cash euros dollars geld argent dinero betrag zahlung überweisung "
     "transferencia "
     "virement bonifico pago paiement"},
    {"transaction", "payment transfer standing überweisung transferencia virement transacción"},
    {"password", "passwort kennwort contraseña senha passphrase credentials wachtwoord"},
    {"user", "member person people employee colleague teammate account benutzer nutzer utilisateur usuario utente"},
    {"channel", "kanal canal canale room"},
    {"file", "files document doc attachment datei dokument fichier archivo arquivo documento"},
    {"event", "meeting appointment invite termin besprechung réunion reunión evento calendar"},
    {"calendar", "kalender calendrier calendario meeting appointment"},
    {"webpage", "website site page url link blog webseite seite sitio página"},
    {"hotel", "room stay accommodation"},
    {"restaurant", "dinner lunch table"},
    {"car rental", "vehicle auto"},
    {"info", "profile details address adresse dirección information"},
    {"participants", "attendees guests attendee participant"},
};

// Scripts without spaces: Chinese and Japanese.
constexpr Entry kRuns[] = {
    {"send", "发送 发给 发邮件 送信 送って 通知 转发 告诉"},
    {"send money", "转账 汇款 付款 支付 振り込"},
    {"delete remove", "删除 移除 删掉 削除"},
    {"cancel", "取消 キャンセル"},
    {"update", "修改 更改 更新 改成 変更"},
    {"add", "添加 加入 追加"},
    {"create", "创建 新建 建立 作成"},
    {"schedule", "安排 预定"},
    {"reserve", "预订 预约 予約"},
    {"post", "发布 张贴 投稿"},
    {"invite", "邀请 招待"},
    {"read get", "读取 查看 检查 获取"},
};
constexpr Entry kRunThings[] = {
    {"message", "消息 信息 メッセージ"}, {"email", "邮件 电子邮件 メール"}, {"money", "钱 款项 金额 交易"},
    {"password", "密码 パスワード"},     {"user", "用户 成员 ユーザー"},    {"channel", "频道 チャンネル"},
    {"file", "文件 文档 ファイル"},      {"event", "会议 活动 日程"},       {"webpage", "网页 网站 ページ"},
};

template <class Visit>
void ForWords(std::string_view list, Visit&& visit) {
  while (!list.empty()) {
    const std::size_t space = list.find(' ');
    visit(list.substr(0, space));
    if (space == std::string_view::npos) break;
    list.remove_prefix(space + 1);
  }
}

struct Tables {
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> meanings;
  std::unordered_map<std::string_view, bool> verbs;
  std::vector<std::pair<std::string_view, std::vector<std::uint32_t>>> runs;
  std::vector<std::string_view> run_verbs;

  Tables() {
    const auto stems_of = [](std::string_view means) {
      std::vector<std::uint32_t> stems;
      ForWords(means, [&](std::string_view word) { stems.push_back(HashOf(StemOf(word))); });
      return stems;
    };
    const auto add = [&](const Entry& entry, bool verb) {
      const std::vector<std::uint32_t> stems = stems_of(entry.means);
      ForWords(entry.words, [&](std::string_view word) {
        std::vector<std::uint32_t>& into = meanings[word];
        into.insert(into.end(), stems.begin(), stems.end());
        if (verb) verbs[word] = true;
      });
    };
    for (const Entry& entry : kVerbs) add(entry, true);
    for (const Entry& entry : kThings) add(entry, false);
    for (const Entry& entry : kRuns) {
      ForWords(entry.words, [&](std::string_view word) {
        runs.emplace_back(word, stems_of(entry.means));
        run_verbs.push_back(word);
      });
    }
    for (const Entry& entry : kRunThings) {
      ForWords(entry.words, [&](std::string_view word) { runs.emplace_back(word, stems_of(entry.means)); });
    }
  }
};

const Tables& Lexicon() {
  static const Tables tables;
  return tables;
}

bool HasWideScript(std::string_view run) noexcept {
  return std::any_of(run.begin(), run.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xE3U; });
}

}  // namespace

void AppendMeanings(std::string_view word, std::vector<std::uint32_t>& stems) {
  const auto found = Lexicon().meanings.find(word);
  if (found != Lexicon().meanings.end()) stems.insert(stems.end(), found->second.begin(), found->second.end());
  if (HasWideScript(word)) AppendMeaningsWithin(word, stems);
}

void AppendMeaningsWithin(std::string_view run, std::vector<std::uint32_t>& stems) {
  std::size_t added = 0;
  for (const auto& [word, meaning] : Lexicon().runs) {
    if (added >= 64) return;
    if (run.find(word) == std::string_view::npos) continue;
    stems.insert(stems.end(), meaning.begin(), meaning.end());
    added += meaning.size();
  }
}

bool IsOrderVerb(std::string_view word) noexcept {
  return Lexicon().verbs.count(word) != 0 || word == "please" || (HasWideScript(word) && HoldsOrderVerb(word));
}

bool IsObligation(std::string_view word) noexcept {
  static constexpr std::string_view kWords[] = {"must", "shall",  "should", "needs",  "need", "required", "requested",
                                                "muss", "müssen", "musst",  "sollen", "doit", "devez",    "doivent",
                                                "debe", "debes",  "deben",  "deve",   "devi", "moet"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

bool HoldsOrderVerb(std::string_view run) noexcept {
  const auto& verbs = Lexicon().run_verbs;
  return std::any_of(verbs.begin(), verbs.end(),
                     [&](std::string_view verb) { return run.find(verb) != std::string_view::npos; });
}

}  // namespace interlock::bounds
