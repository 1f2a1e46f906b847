import Pages

/// Words of commands and of what they tell, by language: a row is what it is called there, then in English, German,
/// French and Italian. What has no row is called as the command line calls it.
enum ConsoleWords {
    struct Word: Sendable {
        let en: String, de: String, fr: String, it: String

        subscript(language: Language) -> String {
            switch language {
            case .en: en
            case .de: de
            case .fr: fr
            case .it: it
            }
        }
    }

    static let nouns = read(nounRows), verbs = read(verbRows), members = read(memberRows), values = read(valueRows)

    private static func read(_ rows: String) -> [String: Word] {
        var words: [String: Word] = [:]
        for row in rows.split(separator: "\n") {
            let cells = row.split(separator: "|").map { $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() }
            guard cells.count == 5 else { continue }
            let texts = cells.map { String($0) }
            words[texts[0]] = Word(en: texts[1], de: texts[2], fr: texts[3], it: texts[4])
        }
        return words
    }

    /// Nouns of commands, and groups of the navigation.
    static let nounRows = """
        people|People|Personen|Personnes|Persone
        devices|Phones and keys|Telefone und Schlüssel|Téléphones et clés|Telefoni e chiavi
        server|Server|Server|Serveur|Server
        accounts|Accounts|Konten|Comptes|Account
        institutions|Institutions|Institutionen|Institutions|Istituzioni
        roles|Roles|Rollen|Rôles|Ruoli
        providers|Identity providers|Identitätsanbieter|Fournisseurs d’identité|Provider d’identità
        apps|Apps|Apps|Applications|App
        apps versions|Versions|Versionen|Versions|Versioni
        instances|Installed apps|Installierte Apps|Applications installées|App installate
        services|Services|Dienste|Services|Servizi
        services proposals|Proposed services|Vorgeschlagene Dienste|Services proposés|Servizi proposti
        services refusals|Refused at this service|Hier abgewiesen|Refusés par ce service|Rifiutati qui
        services policy|Which apps may|Welche Apps dürfen|Quelles applications peuvent|Quali app possono
        services stream|Stream of events|Ereignisstrom|Flux d’événements|Flusso di eventi
        clients|Web clients|Webanwendungen|Clients web|Client web
        crawl|Crawl|Abfrage|Exploration|Lettura
        crawl status|Service documents|Dienstbeschreibungen|Documents des services|Documenti dei servizi
        crawl history|Changes since|Änderungen seither|Changements depuis|Modifiche da allora
        crawl show|Document as read (RSD)|Gelesene Beschreibung (RSD)|Document lu (RSD)|Documento letto (RSD)
        events|Events|Ereignisse|Événements|Eventi
        events status|Delivery of events|Zustellung der Ereignisse|Livraison des événements|Consegna degli eventi
        events dead|Events given up|Aufgegebene Ereignisse|Événements abandonnés|Eventi abbandonati
        tiqr|tiqr|tiqr|tiqr|tiqr
        tiqr identities|tiqr phones|tiqr-Telefone|Téléphones tiqr|Telefoni tiqr
        tiqr identifiers|tiqr servers|tiqr-Server|Serveurs tiqr|Server tiqr
        operations|Operations|Freigaben|Opérations|Operazioni
        operations applications|Approving apps|Freigabe-Apps|Applications d’approbation|App di conferma
        operations registrations|Approving phones|Freigabe-Telefone|Téléphones d’approbation|Telefoni di conferma
        passkeys|Passkeys|Passkeys|Clés d’accès|Passkey
        wallets|Wallets|Wallets|Portefeuilles|Wallet
        wallets sessions|Sessions of the wallet|Sitzungen des Wallets|Sessions du portefeuille|Sessioni del wallet
        keys|Signing keys|Signaturschlüssel|Clés de signature|Chiavi di firma
        tokens|Tokens|Token|Jetons|Token
        tree|Token tree|Tokenbaum|Arbre de jetons|Albero dei token
        tokens why|Why|Warum|Pourquoi|Perché
        audit|Audit trail|Protokoll|Journal d’audit|Registro di audit
        epoch|Epoch|Epoche|Époque|Epoca
        epoch show|Epoch|Epoche|Époque|Epoca
        config show|Settings|Einstellungen|Paramètres|Impostazioni
        """

    static let verbRows = """
        run|Read now|Jetzt abfragen|Lire maintenant|Leggi ora
        create|Create|Anlegen|Créer|Crea
        add|Add|Hinzufügen|Ajouter|Aggiungi
        invite|Invite|Einladen|Inviter|Invita
        retire|Retire|Stilllegen|Retirer|Ritira
        update|Change|Ändern|Modifier|Modifica
        password|Set a password|Passwort setzen|Définir un mot de passe|Imposta una password
        suspend|Suspend|Sperren|Suspendre|Sospendi
        resume|Let in again|Wieder zulassen|Réadmettre|Riammetti
        delete|Delete|Löschen|Supprimer|Elimina
        remove|Remove|Entfernen|Retirer|Rimuovi
        refuse|Refuse|Abweisen|Refuser|Rifiuta
        allow|Allow again|Wieder erlauben|Autoriser à nouveau|Consenti di nuovo
        accounts refuse|Refuse at a service|Bei einem Dienst abweisen|Refuser à un service|Rifiuta a un servizio
        accounts allow|Allow at a service|Bei einem Dienst erlauben|Autoriser à un service|Consenti a un servizio
        instances refuse|Refuse at a service|Bei einem Dienst abweisen|Refuser à un service|Rifiuta a un servizio
        instances allow|Allow at a service|Bei einem Dienst erlauben|Autoriser à un service|Consenti a un servizio
        approve|Approve|Zulassen|Approuver|Approva
        accept|Accept|Annehmen|Accepter|Accetta
        revoke|Revoke|Widerrufen|Révoquer|Revoca
        block|Block|Blockieren|Bloquer|Blocca
        unblock|Unblock|Freigeben|Débloquer|Sblocca
        blocks|How long PINs block|PIN-Sperrdauer|Durée des blocages|Durata dei blocchi
        push-apns|Push by Apple|Über Apple benachrichtigen|Notifier par Apple|Notifica tramite Apple
        push-fcm|Push by Google|Über Google benachrichtigen|Notifier par Google|Notifica tramite Google
        push-hms|Push by Huawei|Über Huawei benachrichtigen|Notifier par Huawei|Notifica tramite Huawei
        push-remove|Stop pushing|Nicht mehr benachrichtigen|Ne plus notifier|Non notificare più
        rotate-secret|New secret|Neues Geheimnis|Nouveau secret|Nuovo segreto
        rotate|Rotate|Wechseln|Renouveler|Ruota
        reseal|Seal anew|Neu versiegeln|Sceller à nouveau|Sigilla di nuovo
        prune|Remove the dead|Tote entfernen|Retirer les morts|Rimuovi i morti
        protocols|Choose protocols|Protokolle wählen|Choisir les protocoles|Scegli i protocolli
        policy|Which apps may|Welche Apps dürfen|Quelles applications peuvent|Quali app possono
        stream|Stream of events|Ereignisstrom|Flux d’événements|Flusso di eventi
        legacy|First generation|Erste Generation|Première génération|Prima generazione
        retry|Try again|Nochmals versuchen|Réessayer|Riprova
        drop|Forget|Vergessen|Oublier|Dimentica
        cancel|Cancel it|Abbrechen|Annuler l’opération|Annullala
        grant|Give a role|Rolle geben|Donner un rôle|Assegna un ruolo
        withdraw|Take a role away|Rolle entziehen|Retirer un rôle|Togli un ruolo
        import|Import|Importieren|Importer|Importa
        services proposals withdraw|Withdraw|Zurückziehen|Retirer la proposition|Ritira
        propose|Propose|Vorschlagen|Proposer|Proponi
        prove|Prove|Nachweisen|Prouver|Dimostra
        bump|End everything|Alles beenden|Tout terminer|Termina tutto
        settle|It is made good|Es ist nachgeholt|C’est réparé|È sistemato
        audit chain|Give lines their places|Zeilen einreihen|Donner leur place aux lignes|Dare un posto alle righe
        verify|Verify|Prüfen|Vérifier|Verifica
        heads|Heads of the days|Köpfe der Tage|Têtes des jours|Teste dei giorni
        check|Ask it now|Jetzt fragen|Interroger maintenant|Interroga ora
        services check|Check it|Prüfen|Contrôler|Controlla
        export|Export|Exportieren|Exporter|Esporta
        """

    static let memberRows = """
        setback|Database went back|Datenbank ging zurück|Retour en arrière de la base|Database tornato indietro
        id|Id|Kennung|Identifiant|ID
        identity|Id|Kennung|Identifiant|ID
        name|Name|Name|Nom|Nome
        username|Username|Benutzername|Nom d’utilisateur|Nome utente
        email|E-mail|E-Mail|E-mail|E-mail
        email_verified|E-mail confirmed|E-Mail bestätigt|E-mail confirmé|E-mail confermata
        given_name|Given name|Vorname|Prénom|Nome di battesimo
        family_name|Family name|Nachname|Nom de famille|Cognome
        password|Password|Passwort|Mot de passe|Password
        status|Status|Zustand|État|Stato
        state|State|Zustand|État|Stato
        required_factor|Second factor asked for|Verlangter zweiter Faktor|Second facteur exigé|Secondo fattore richiesto
        require_factor|Second factor asked for|Verlangter zweiter Faktor|Second facteur exigé|Secondo fattore richiesto
        created_at|Created|Angelegt|Créé|Creato
        last_seen|Last seen|Zuletzt gesehen|Vu pour la dernière fois|Visto l’ultima volta
        last_used|Last used|Zuletzt benutzt|Dernière utilisation|Ultimo uso
        last_used_at|Last used|Zuletzt benutzt|Dernière utilisation|Ultimo uso
        revoked_at|Revoked|Widerrufen|Révoqué|Revocato
        expires_at|Ends|Endet|Expire|Scade
        link_expires_at|Link is good until|Link gilt bis|Lien valable jusqu’au|Link valido fino al
        link|Link|Link|Lien|Link
        mailed|Sent by mail|Per Mail gesandt|Envoyé par e-mail|Inviato per e-mail
        attributes|Attributes|Attribute|Attributs|Attributi
        attribute|Attributes|Attribute|Attributs|Attributi
        no_attribute|Attributes to take away|Zu entfernende Attribute|Attributs à retirer|Attributi da togliere
        language|Language|Sprache|Langue|Lingua
        institution|Institution|Institution|Institution|Istituzione
        domains|Host names|Hostnamen|Noms d’hôte|Nomi host
        domain|Host names|Hostnamen|Noms d’hôte|Nomi host
        role|Role|Rolle|Rôle|Ruolo
        account|Account|Konto|Compte|Account
        app|App|App|Application|App
        version|Version|Version|Version|Versione
        legacy|First generation|Erste Generation|Première génération|Prima generazione
        claims|May know|Darf wissen|Peut savoir|Può sapere
        claim|May know|Darf wissen|Peut savoir|Può sapere
        device_id|Device|Gerät|Appareil|Dispositivo
        device_type|Kind of device|Geräteart|Type d’appareil|Tipo di dispositivo
        os_version|System|System|Système|Sistema
        thumbprint|Key thumbprint|Fingerabdruck des Schlüssels|Empreinte de la clé|Impronta della chiave
        kid|Key|Schlüssel|Clé|Chiave
        alg|Algorithm|Algorithmus|Algorithme|Algoritmo
        jwk|Public key (JWK)|Öffentlicher Schlüssel (JWK)|Clé publique (JWK)|Chiave pubblica (JWK)
        jwks|Public keys (JWK set)|Öffentliche Schlüssel (JWK)|Clés publiques (JWK)|Chiavi pubbliche (JWK)
        base|Address|Adresse|Adresse|Indirizzo
        service|Service|Dienst|Service|Servizio
        services|Services|Dienste|Services|Servizi
        protocols|Protocols|Protokolle|Protocoles|Protocolli
        protocol|Protocol|Protokoll|Protocole|Protocollo
        warnings|Warnings|Warnungen|Avertissements|Avvisi
        added|Added|Hinzugekommen|Ajouté|Aggiunto
        removed|Removed|Weggefallen|Retiré|Rimosso
        from|From|Von|De|Da
        to|To|Nach|Vers|A
        at|At|Zeit|Moment|Momento
        detail|Detail|Einzelheit|Détail|Dettaglio
        source|Source|Quelle|Source|Fonte
        client_id|Client|Anwendung|Client|Client
        client|Client|Anwendung|Client|Client
        client_name|Name|Name|Nom|Nome
        client_secret|Secret|Geheimnis|Secret|Segreto
        redirect_uris|Redirect addresses|Rücksprungadressen|Adresses de retour|Indirizzi di ritorno
        redirect_uri|Redirect addresses|Rücksprungadressen|Adresses de retour|Indirizzi di ritorno
        scope|Scope|Umfang|Portée|Ambito
        auth_method|Authentication|Authentifizierung|Authentification|Autenticazione
        query|Search|Suche|Recherche|Ricerca
        reason|Reason|Grund|Raison|Motivo
        node|Node|Knoten|Nœud|Nodo
        lag_s|Lag (seconds)|Rückstand (Sekunden)|Retard (secondes)|Ritardo (secondi)
        dead|Given up|Aufgegeben|Abandonnés|Abbandonati
        failures|Failures|Fehlschläge|Échecs|Errori
        last_error|Last error|Letzter Fehler|Dernière erreur|Ultimo errore
        error|Error|Fehler|Erreur|Errore
        next_try|Next try|Nächster Versuch|Prochain essai|Prossimo tentativo
        acknowledged|Acknowledged|Bestätigt|Confirmés|Confermati
        last|Last|Letztes|Dernier|Ultimo
        event|Event|Ereignis|Événement|Evento
        tokens|Tokens|Token|Jetons|Token
        already|So before|Schon vorher so|Déjà ainsi|Già così
        keep_old|Old one works on for|Altes gilt noch|L’ancien reste valable|Il vecchio resta valido
        blocked|Blocked|Blockiert|Bloqué|Bloccato
        display_name|Shown name|Anzeigename|Nom affiché|Nome mostrato
        people|People|Personen|Personnes|Persone
        granted_at|Given|Gegeben|Donné|Assegnato
        granted_by|Given by|Gegeben von|Donné par|Assegnato da
        administrators|Administrators left|Verbliebene Verwalter|Administrateurs restants|Amministratori rimasti
        proposer|Proposed by|Vorgeschlagen von|Proposé par|Proposto da
        rsd|Document (RSD)|Beschreibung (RSD)|Document (RSD)|Documento (RSD)
        document|Document as read|Gelesene Beschreibung|Document lu|Documento letto
        url|Address|Adresse|Adresse|Indirizzo
        links|Links|Verweise|Liens|Link
        advice|Advice|Rat|Conseil|Consiglio
        why|What it is for|Wozu|Dans quel but|A che scopo
        proof|Put this line there|Diese Zeile dort ablegen|Placer cette ligne là|Metta questa riga lì
        proof_url|Where the proof stands|Wo der Nachweis steht|Où se trouve la preuve|Dove sta la prova
        proven_at|Control shown|Nachgewiesen|Contrôle prouvé|Controllo provato
        decided_at|Decided|Entschieden|Décidé|Deciso
        report|What the check found|Was die Prüfung fand|Résultat du contrôle|Esito della verifica
        findings|What the check found|Was die Prüfung fand|Résultat du contrôle|Esito della verifica
        assertions|Assertions by|Zusicherungen von|Assertions de|Asserzioni di
        errors|Errors|Fehler|Erreurs|Errori
        severity|Severity|Schwere|Gravité|Gravità
        text|What is so|Was ist|Constat|Che cosa c’è
        section|Where it is written|Wo es steht|Où c’est écrit|Dove sta scritto
        evidence|What came|Was kam|Ce qui est venu|Che cosa è arrivato
        token_endpoint|Token endpoint|Token-Endpunkt|Point d’accès aux jetons|Endpoint dei token
        all_claims|All that it asks for|Alles Verlangte|Tout ce qui est demandé|Tutto ciò che chiede
        issuer|Issuer|Aussteller|Émetteur|Emittente
        link_by|People are found by|Personen werden gefunden über|Personnes trouvées par|Persone trovate tramite
        creates|Makes accounts|Legt Konten an|Crée des comptes|Crea account
        create|Makes accounts|Legt Konten an|Crée des comptes|Crea account
        enabled|In use|In Gebrauch|En service|In uso
        note|Note|Notiz|Note|Nota
        instances|Installed apps|Installierte Apps|Applications installées|App installate
        changed|Changed|Geändert|Modifié|Modificato
        deleted|Deleted|Gelöscht|Supprimé|Eliminato
        setting|Setting|Einstellung|Paramètre|Impostazione
        value|Value|Wert|Valeur|Valore
        origin|Origin|Herkunft|Origine|Origine
        meaning|What it means|Bedeutung|Signification|Significato
        """

    static let valueRows = """
        active|active|aktiv|actif|attivo
        suspended|suspended|gesperrt|suspendu|sospeso
        pending|pending|wartet|en attente|in attesa
        removed|removed|entfernt|retiré|rimosso
        allowed|allowed|erlaubt|autorisé|consentito
        refused|refused|abgewiesen|refusé|rifiutato
        live|live|lebt|vivant|vivo
        revoked|revoked|widerrufen|révoqué|revocato
        blocked|blocked|blockiert|bloqué|bloccato
        next|next|nächster|suivant|successivo
        retiring|retiring|läuft aus|en cours de retrait|in ritiro
        failed|failed|fehlgeschlagen|échoué|fallito
        proposed|proposed|vorgeschlagen|proposé|proposto
        proven|control shown|Kontrolle gezeigt|contrôle prouvé|controllo dimostrato
        accepted|accepted|angenommen|accepté|accettato
        withdrawn|withdrawn|zurückgezogen|retiré|ritirato
        ok|ok|in Ordnung|en ordre|a posto
        none|none|keiner|aucun|nessuno
        administrator|administrator|Verwaltung der Föderation|administrateur|amministratore
        auditor|auditor|Prüfung|auditeur|revisore
        institution-administrator|institution administrator|Institutionsverwaltung|admin. d’institution|amm. d’istituz.
        service-owner|service owner|Zuständig für einen Dienst|responsable de service|responsabile di servizio
        """
}
