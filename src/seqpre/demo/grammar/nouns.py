"""The nouns, as tables that `tables` reads.

`[kind topic]` opens a section. An entry is `english[/plural] = German gender Plural`, where gender is m, f or n. A
plural `-` marks a mass noun, `w` a weak masculine (den Studenten). `@at:in:in` gives the prepositions of a place:
English, German with the dative (where), German of the way there (`zu` takes the dative, others the accusative); `@`
alone is `@in:in:in`. Within a kind the frequent words come first: an entry's position is its Zipf rank.
"""

NOUNS = """
[relative home]
mother = Mutter f Mütter; father = Vater m Väter; brother = Bruder m Brüder; sister = Schwester f Schwestern
son = Sohn m Söhne; daughter = Tochter f Töchter; grandmother = Großmutter f Großmütter; uncle = Onkel m Onkel
grandfather = Großvater m Großväter; aunt = Tante f Tanten; husband = Ehemann m Ehemänner
wife/wives = Ehefrau f Ehefrauen; niece = Nichte f Nichten; nephew = Neffe m Neffen w; grandson = Enkel m Enkel
granddaughter = Enkelin f Enkelinnen

[person home]
man/men = Mann m Männer; woman/women = Frau f Frauen; child/children = Kind n Kinder; girl = Mädchen n Mädchen
boy = Junge m Jungen w; friend = Freund m Freunde; neighbour = Nachbar m Nachbarn w; guest = Gast m Gäste
[person school]
teacher = Lehrer m Lehrer; pupil = Schüler m Schüler; student = Student m Studenten w
professor = Professor m Professoren
[person city]
police officer = Polizist m Polizisten w; waiter = Kellner m Kellner; baker = Bäcker m Bäcker
tourist = Tourist m Touristen w; waitress = Kellnerin f Kellnerinnen; shop assistant = Verkäufer m Verkäufer
mayor = Bürgermeister m Bürgermeister; cook = Koch m Köche; butcher = Metzger m Metzger
firefighter = Feuerwehrmann m Feuerwehrleute; hairdresser = Friseur m Friseure
[person health]
doctor = Arzt m Ärzte; nurse = Krankenschwester f Krankenschwestern; patient = Patient m Patienten w
dentist = Zahnarzt m Zahnärzte; pharmacist = Apotheker m Apotheker; surgeon = Chirurg m Chirurgen w
[person work]
boss = Chef m Chefs; colleague = Kollege m Kollegen w; customer = Kunde m Kunden w; engineer = Ingenieur m Ingenieure
secretary/secretaries = Sekretärin f Sekretärinnen; lawyer = Anwalt m Anwälte; worker = Arbeiter m Arbeiter
architect = Architekt m Architekten w; farmer = Bauer m Bauern w; gardener = Gärtner m Gärtner
cleaner = Putzfrau f Putzfrauen
[person travel]
driver = Fahrer m Fahrer; passenger = Passagier m Passagiere; pilot = Pilot m Piloten w; captain = Kapitän m Kapitäne
tour guide = Reiseleiter m Reiseleiter; sailor = Matrose m Matrosen w
[person sport]
player = Spieler m Spieler; coach = Trainer m Trainer; winner = Sieger m Sieger; athlete = Sportler m Sportler
goalkeeper = Torwart m Torwarte; referee = Schiedsrichter m Schiedsrichter; cyclist = Radfahrer m Radfahrer
[person culture]
singer = Sänger m Sänger; artist = Künstler m Künstler; actress = Schauspielerin f Schauspielerinnen
painter = Maler m Maler; musician = Musiker m Musiker; author = Autor m Autoren; actor = Schauspieler m Schauspieler
director = Regisseur m Regisseure; poet = Dichter m Dichter; composer = Komponist m Komponisten w
dancer = Tänzerin f Tänzerinnen
[person politics]
minister = Minister m Minister; president = Präsident m Präsidenten w; politician = Politiker m Politiker
journalist = Journalist m Journalisten w; citizen = Bürger m Bürger; chancellor = Kanzler m Kanzler
judge = Richter m Richter; ambassador = Botschafter m Botschafter; soldier = Soldat m Soldaten w
voter = Wähler m Wähler; witness = Zeuge m Zeugen w; demonstrator = Demonstrant m Demonstranten w
king = König m Könige; queen = Königin f Königinnen
[person economy]
expert = Experte m Experten w; manager = Manager m Manager; entrepreneur = Unternehmer m Unternehmer
investor = Investor m Investoren; economist = Ökonom m Ökonomen w; trader = Händler m Händler
consumer = Verbraucher m Verbraucher
[person science]
scientist = Wissenschaftler m Wissenschaftler; researcher = Forscher m Forscher; physicist = Physiker m Physiker
biologist = Biologe m Biologen w; inventor = Erfinder m Erfinder; chemist = Chemiker m Chemiker
astronaut = Astronaut m Astronauten w; historian = Historiker m Historiker
[person technology]
programmer = Programmierer m Programmierer; user = Nutzer m Nutzer; technician = Techniker m Techniker
developer = Entwickler m Entwickler; hacker = Hacker m Hacker

[pet home]
dog = Hund m Hunde; cat = Katze f Katzen; rabbit = Kaninchen n Kaninchen
[animal nature]
horse = Pferd n Pferde; bird = Vogel m Vögel; cow = Kuh f Kühe; mouse/mice = Maus f Mäuse
sheep/sheep = Schaf n Schafe; duck = Ente f Enten; pig = Schwein n Schweine; goose/geese = Gans f Gänse
goat = Ziege f Ziegen; fox = Fuchs m Füchse; frog = Frosch m Frösche; squirrel = Eichhörnchen n Eichhörnchen
hedgehog = Igel m Igel; bee = Biene f Bienen; butterfly/butterflies = Schmetterling m Schmetterlinge
donkey = Esel m Esel; snake = Schlange f Schlangen; owl = Eule f Eulen
[beast nature]
bear = Bär m Bären w; wolf/wolves = Wolf m Wölfe; lion = Löwe m Löwen w; elephant = Elefant m Elefanten w
monkey = Affe m Affen w; eagle = Adler m Adler; whale = Wal m Wale; tiger = Tiger m Tiger

[fruit food]
apple = Apfel m Äpfel; potato/potatoes = Kartoffel f Kartoffeln; tomato/tomatoes = Tomate f Tomaten
banana = Banane f Bananen; pear = Birne f Birnen; orange = Orange f Orangen; carrot = Karotte f Karotten
cherry/cherries = Kirsche f Kirschen; onion = Zwiebel f Zwiebeln; strawberry/strawberries = Erdbeere f Erdbeeren
lemon = Zitrone f Zitronen; plum = Pflaume f Pflaumen; cucumber = Gurke f Gurken; nut = Nuss f Nüsse
mushroom = Pilz m Pilze; bean = Bohne f Bohnen; grape = Traube f Trauben
[dish food]
cake = Kuchen m Kuchen; egg = Ei n Eier; soup = Suppe f Suppen; salad = Salat m Salate; sausage = Wurst f Würste
roll = Brötchen n Brötchen; pizza = Pizza f Pizzen; biscuit = Keks m Kekse; pancake = Pfannkuchen m Pfannkuchen
[foodstuff food]
bread = Brot n -; cheese = Käse m -; meat = Fleisch n -; fish = Fisch m -; rice = Reis m -; chocolate = Schokolade f -
butter = Butter f -; ham = Schinken m -; ice cream = Eis n -; honey = Honig m -; jam = Marmelade f -
cabbage = Kohl m -
[drink food]
water = Wasser n -; coffee = Kaffee m -; milk = Milch f -; tea = Tee m -; beer = Bier n -; wine = Wein m -
lemonade = Limonade f -; cocoa = Kakao m -; orange juice = Orangensaft m -; apple juice = Apfelsaft m -

[text home]
book = Buch n Bücher; newspaper = Zeitung f Zeitungen; letter = Brief m Briefe
story/stories = Geschichte f Geschichten; message = Nachricht f Nachrichten; fairy tale = Märchen n Märchen
magazine = Zeitschrift f Zeitschriften
[text school]
text = Text m Texte; poem = Gedicht n Gedichte; essay = Aufsatz m Aufsätze
[text travel]
postcard = Postkarte f Postkarten
[text culture]
novel = Roman m Romane
[text work]
email = E-Mail f E-Mails; report = Bericht m Berichte
[text politics]
article = Artikel m Artikel; speech = Rede f Reden; commentary/commentaries = Kommentar m Kommentare
[text science]
study/studies = Studie f Studien; doctoral thesis/doctoral theses = Doktorarbeit f Doktorarbeiten
[paper work]
contract = Vertrag m Verträge; bill = Rechnung f Rechnungen; form = Formular n Formulare

[picture culture]
picture = Bild n Bilder; photo = Foto n Fotos; painting = Gemälde n Gemälde; statue = Statue f Statuen
[show culture]
film = Film m Filme; concert = Konzert n Konzerte; exhibition = Ausstellung f Ausstellungen; opera = Oper f Opern
play = Theaterstück n Theaterstücke
[song culture]
song = Lied n Lieder; melody/melodies = Melodie f Melodien; children's song = Kinderlied n Kinderlieder
[instrument culture]
piano = Klavier n Klaviere; guitar = Gitarre f Gitarren; violin = Geige f Geigen; flute = Flöte f Flöten
trumpet = Trompete f Trompeten; cello = Cello n Cellos

[clothing home]
shirt = Hemd n Hemden; coat = Mantel m Mäntel; dress = Kleid n Kleider; jacket = Jacke f Jacken; hat = Hut m Hüte
shoe = Schuh m Schuhe; raincoat = Regenmantel m Regenmäntel; sweater = Pullover m Pullover; skirt = Rock m Röcke
scarf/scarves = Schal m Schals; cap = Mütze f Mützen; suit = Anzug m Anzüge; blouse = Bluse f Blusen
glove = Handschuh m Handschuhe; boot = Stiefel m Stiefel
[tool home]
key = Schlüssel m Schlüssel; bag = Tasche f Taschen; knife/knives = Messer n Messer; spoon = Löffel m Löffel
fork = Gabel f Gabeln; plate = Teller m Teller; umbrella = Regenschirm m Regenschirme; towel = Handtuch n Handtücher
pillow = Kissen n Kissen; blanket = Decke f Decken; hammer = Hammer m Hämmer; purse = Geldbeutel m Geldbeutel
[tool school]
pencil = Bleistift m Bleistifte; exercise book = Heft n Hefte; dictionary/dictionaries = Wörterbuch n Wörterbücher
[tool travel]
ticket = Fahrkarte f Fahrkarten; suitcase = Koffer m Koffer; passport = Pass m Pässe; map = Landkarte f Landkarten
backpack = Rucksack m Rucksäcke; tent = Zelt n Zelte
[toy home]
ball = Ball m Bälle; doll = Puppe f Puppen; kite = Drachen m Drachen
[vessel food]
bottle = Flasche f Flaschen; glass = Glas n Gläser; cup = Tasse f Tassen; pot = Topf m Töpfe
bowl = Schüssel f Schüsseln; vase = Vase f Vasen; basket = Korb m Körbe; pan = Pfanne f Pfannen; jug = Krug m Krüge
[surface home]
table = Tisch m Tische; shelf/shelves = Regal n Regale; desk = Schreibtisch m Schreibtische
cupboard = Schrank m Schränke; floor = Boden m Böden; carpet = Teppich m Teppiche
[seat home]
chair = Stuhl m Stühle; sofa = Sofa n Sofas; bench = Bank f Bänke; bed = Bett n Betten; armchair = Sessel m Sessel
[opening home]
door = Tür f Türen; window = Fenster n Fenster; gate = Tor n Tore; drawer = Schublade f Schubladen
[device home]
lamp = Lampe f Lampen; radio = Radio n Radios; television = Fernseher m Fernseher; heater = Heizung f Heizungen
washing machine = Waschmaschine f Waschmaschinen; fridge = Kühlschrank m Kühlschränke
[device technology]
computer = Computer m Computer; telephone = Telefon n Telefone; camera = Kamera f Kameras; printer = Drucker m Drucker
machine = Maschine f Maschinen; robot = Roboter m Roboter; screen = Bildschirm m Bildschirme; engine = Motor m Motoren
satellite = Satellit m Satelliten w
[software technology]
program = Programm n Programme; database = Datenbank f Datenbanken; operating system = Betriebssystem n Betriebssysteme
[data technology]
file = Datei f Dateien; password = Passwort n Passwörter
[vehicle travel]
car = Auto n Autos; bicycle = Fahrrad n Fahrräder; boat = Boot n Boote; motorcycle = Motorrad n Motorräder
lorry/lorries = Lastwagen m Lastwagen
[transport travel]
train = Zug m Züge; bus = Bus m Busse; tram = Straßenbahn f Straßenbahnen; plane = Flugzeug n Flugzeuge
ship = Schiff n Schiffe; taxi = Taxi n Taxis; ferry/ferries = Fähre f Fähren

[room home]
kitchen = Küche f Küchen @; garden = Garten m Gärten @; living room = Wohnzimmer n Wohnzimmer @
bedroom = Schlafzimmer n Schlafzimmer @; bathroom = Badezimmer n Badezimmer @; cellar = Keller m Keller @
garage = Garage f Garagen @
[room school]
classroom = Klassenzimmer n Klassenzimmer @
[room work]
office = Büro n Büros @; workshop = Werkstatt f Werkstätten @
[dwelling city]
house = Haus n Häuser @; flat = Wohnung f Wohnungen @; village = Dorf n Dörfer @; town = Stadt f Städte @
hotel = Hotel n Hotels @; suburb = Vorort m Vororte @
[building city]
restaurant = Restaurant n Restaurants @; supermarket = Supermarkt m Supermärkte @; museum = Museum n Museen @
church = Kirche f Kirchen @; café = Café n Cafés @; cinema = Kino n Kinos @at:in:in; shop = Laden m Läden @
library/libraries = Bibliothek f Bibliotheken @; bakery/bakeries = Bäckerei f Bäckereien @
theatre = Theater n Theater @; pharmacy/pharmacies = Apotheke f Apotheken @; town hall = Rathaus n Rathäuser @in:in:zu
castle = Schloss n Schlösser @in:in:zu; bank = Bank f Banken @at:bei:zu; department store = Kaufhaus n Kaufhäuser @
post office = Postamt n Postämter @at:auf:zu
[building school]
school = Schule f Schulen @at:in:in; university/universities = Universität f Universitäten @at:an:an
nursery school = Kindergarten m Kindergärten @
[building health]
hospital = Krankenhaus n Krankenhäuser @; clinic = Klinik f Kliniken @
[building sport]
swimming pool = Schwimmbad n Schwimmbäder @at:in:in; stadium = Stadion n Stadien @; gym = Turnhalle f Turnhallen @
[building work]
factory/factories = Fabrik f Fabriken @; warehouse = Lager n Lager @
[building politics]
parliament = Parlament n Parlamente @; ministry/ministries = Ministerium n Ministerien @
embassy/embassies = Botschaft f Botschaften @; prison = Gefängnis n Gefängnisse @
[building science]
laboratory/laboratories = Labor n Labore @; institute = Institut n Institute @at:an:an
observatory/observatories = Sternwarte f Sternwarten @
[outdoors city]
park = Park m Parks @; market = Markt m Märkte @at:auf:auf; street = Straße f Straßen @on:auf:auf
zoo = Zoo m Zoos @at:in:in; square = Platz m Plätze @on:auf:auf; bridge = Brücke f Brücken @on:auf:auf
playground = Spielplatz m Spielplätze @on:auf:auf
[outdoors nature]
forest = Wald m Wälder @; beach = Strand m Strände @on:an:an; lake = See m Seen @at:an:an
river = Fluss m Flüsse @by:an:an; meadow = Wiese f Wiesen @in:auf:auf; mountain = Berg m Berge @on:auf:auf
field = Feld n Felder @in:auf:auf; sea = Meer n Meere @by:an:an; island = Insel f Inseln @on:auf:auf
valley = Tal n Täler @
coast = Küste f Küsten @on:an:an; cave = Höhle f Höhlen @; hill = Hügel m Hügel @on:auf:auf
desert = Wüste f Wüsten @
[stop travel]
station = Bahnhof m Bahnhöfe @at:an:zu; airport = Flughafen m Flughäfen @at:an:zu
bus stop = Bushaltestelle f Bushaltestellen @at:an:zu; harbour = Hafen m Häfen @in:in:zu
border = Grenze f Grenzen @at:an:an; campsite = Campingplatz m Campingplätze @at:auf:auf

[plant nature]
flower = Blume f Blumen; tree = Baum m Bäume; rose = Rose f Rosen; bush = Busch m Büsche
sunflower = Sonnenblume f Sonnenblumen; fir tree = Tanne f Tannen; tulip = Tulpe f Tulpen; oak = Eiche f Eichen

[event home]
party/parties = Party f Partys; birthday = Geburtstag m Geburtstage; wedding = Hochzeit f Hochzeiten
[event school]
exam = Prüfung f Prüfungen; course = Kurs m Kurse; school trip = Klassenfahrt f Klassenfahrten
[event travel]
journey = Reise f Reisen; excursion = Ausflug m Ausflüge; flight = Flug m Flüge
[event work]
meeting = Besprechung f Besprechungen; appointment = Termin m Termine; training course = Schulung f Schulungen
[event sport]
game = Spiel n Spiele; race = Rennen n Rennen; tournament = Turnier n Turniere
championship = Meisterschaft f Meisterschaften
[event culture]
festival = Festival n Festivals; rehearsal = Probe f Proben; performance = Aufführung f Aufführungen
[event health]
operation = Operation f Operationen; examination = Untersuchung f Untersuchungen
[event politics]
election = Wahl f Wahlen; debate = Debatte f Debatten; conference = Konferenz f Konferenzen
demonstration = Demonstration f Demonstrationen; trial = Prozess m Prozesse; negotiation = Verhandlung f Verhandlungen
summit = Gipfel m Gipfel
[event economy]
strike = Streik m Streiks; trade fair = Messe f Messen; auction = Auktion f Auktionen
[event science]
experiment = Experiment n Experimente; lecture = Vortrag m Vorträge; expedition = Expedition f Expeditionen

[idea home]
question = Frage f Fragen; idea = Idee f Ideen; problem = Problem n Probleme; secret = Geheimnis n Geheimnisse
[idea school]
task = Aufgabe f Aufgaben; answer = Antwort f Antworten; sentence = Satz m Sätze; mistake = Fehler m Fehler
rule = Regel f Regeln
[idea work]
plan = Plan m Pläne; project = Projekt n Projekte; decision = Entscheidung f Entscheidungen
solution = Lösung f Lösungen; proposal = Vorschlag m Vorschläge; goal = Ziel n Ziele
[idea politics]
law = Gesetz n Gesetze; reform = Reform f Reformen; agreement = Abkommen n Abkommen; crisis/crises = Krise f Krisen
conflict = Konflikt m Konflikte; sanction = Sanktion f Sanktionen; budget = Haushalt m Haushalte
[idea science]
theory/theories = Theorie f Theorien; result = Ergebnis n Ergebnisse
discovery/discoveries = Entdeckung f Entdeckungen; method = Methode f Methoden
hypothesis/hypotheses = Hypothese f Hypothesen
[idea technology]
invention = Erfindung f Erfindungen; technology/technologies = Technologie f Technologien
standard = Standard m Standards
[quantity economy]
price = Preis m Preise; tax = Steuer f Steuern; wage = Lohn m Löhne; profit = Gewinn m Gewinne; rent = Miete f Mieten
import = Import m Importe; export = Export m Exporte; salary/salaries = Gehalt n Gehälter; fee = Gebühr f Gebühren
[substance science]
virus = Virus n Viren; vaccine = Impfstoff m Impfstoffe; planet = Planet m Planeten w; star = Stern m Sterne
gene = Gen n Gene; cell = Zelle f Zellen; comet = Komet m Kometen w; molecule = Molekül n Moleküle
fossil = Fossil n Fossilien; bacterium/bacteria = Bakterium n Bakterien

[organisation work]
company/companies = Firma f Firmen; association = Verband m Verbände
[organisation sport]
team = Mannschaft f Mannschaften; club = Verein m Vereine
[organisation school]
class = Klasse f Klassen
[organisation culture]
orchestra = Orchester n Orchester; choir = Chor m Chöre
[organisation politics]
government = Regierung f Regierungen; commission = Kommission f Kommissionen; court = Gericht n Gerichte
authority/authorities = Behörde f Behörden; committee = Ausschuss m Ausschüsse
[organisation economy]
corporation = Konzern m Konzerne; trade union = Gewerkschaft f Gewerkschaften
central bank = Zentralbank f Zentralbanken; start-up = Start-up n Start-ups; supplier = Zulieferer m Zulieferer

[bodypart health]
head = Kopf m Köpfe; arm = Arm m Arme; leg = Bein n Beine; hand = Hand f Hände; back = Rücken m Rücken
foot/feet = Fuß m Füße; knee = Knie n Knie; shoulder = Schulter f Schultern; finger = Finger m Finger
[illness health]
cold = Erkältung f Erkältungen; allergy/allergies = Allergie f Allergien; flu = Grippe f -; fever = Fieber n -
inflammation = Entzündung f Entzündungen
[medicine health]
medicine = Medikament n Medikamente; tablet = Tablette f Tabletten; ointment = Salbe f Salben
[sport sport]
football = Fußball m -; tennis = Tennis n -; basketball = Basketball m -; chess = Schach n -
volleyball = Volleyball m -; table tennis = Tischtennis n -; ice hockey = Eishockey n -
[subject school]
German = Deutsch n -; maths = Mathematik f -; English = Englisch n -; music = Musik f -; biology = Biologie f -
physics = Physik f -; chemistry = Chemie f -; geography = Erdkunde f -; Latin = Latein n -
"""

# A German compound takes gender and plural from its last part. Each line: the topic, modifiers `english=German` (with
# the linking sound), `x`, heads by their English names. A compound is of the kind of its head.
COMPOUNDS = """
[food] apple=Apfel cherry=Kirsch plum=Pflaumen chocolate=Schokoladen nut=Nuss lemon=Zitronen carrot=Karotten x cake
[food] potato=Kartoffel tomato=Tomaten vegetable=Gemüse bean=Bohnen onion=Zwiebel fish=Fisch pea=Erbsen x soup
[food] potato=Kartoffel tomato=Tomaten fruit=Obst cucumber=Gurken pasta=Nudel x salad
[home] kitchen=Küchen garden=Garten wooden=Holz x table chair
[home] kitchen=Küchen bedroom=Schlafzimmer bathroom=Badezimmer x door window cupboard lamp
[home] winter=Winter leather=Leder x coat jacket
[home] summer=Sommer x dress hat
[home] love=Liebes ghost=Geister adventure=Abenteuer x story
[home] children's=Kinder cookery=Koch x book
[school] school=Schul x book bag
[school] music=Musik art=Kunst sports=Sport geography=Erdkunde physics=Physik x teacher
[school] German=Deutsch history=Geschichts biology=Biologie x book exam
[city] town=Stadt x park library
[city] village=Dorf x church school square
[sport] football=Fußball handball=Handball basketball=Basketball tennis=Tennis x player coach
[sport] football=Fußball volleyball=Volleyball handball=Handball x club game
[sport] ski=Ski bicycle=Fahrrad car=Auto x race
[travel] bus=Bus taxi=Taxi x driver
[travel] sea=See train=Zug boat=Boots x journey
[culture] film=Film dance=Tanz theatre=Theater jazz=Jazz x festival
[culture] crime=Kriminal adventure=Abenteuer x novel
[politics] environment=Umwelt finance=Finanz transport=Verkehrs health=Gesundheits education=Bildungs x minister expert
[politics] health=Gesundheits education=Bildungs pension=Renten tax=Steuer x reform
[politics] climate=Klima security=Sicherheits x conference law expert
[economy] oil=Öl gas=Gas electricity=Strom food=Lebensmittel x price
[economy] energy=Energie debt=Schulden banking=Banken x crisis
[economy] insurance=Versicherungs car=Auto steel=Stahl x company
[science] brain=Hirn climate=Klima space=Raumfahrt x researcher
[technology] computer=Computer language=Sprach x program
"""
