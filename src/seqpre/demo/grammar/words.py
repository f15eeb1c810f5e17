"""Adjectives, adverbs, names, places, times and numbers (nouns and verbs have tables of their own)."""

# `english[/comparative] = german[/attributive stem] [comparative]: what it describes`. Comparatives by rule are left
# out, `-` means that none is used. What it describes: kinds, groups and nouns, as in the table of verbs.
ADJECTIVES = """
[home]
old = alt älter: human,creature,thing,vehicle,furniture,device,building,dwelling,picture,text,bridge,tree
new = neu: thing,vehicle,furniture,device,building,dwelling,software,text,medicine,plan,law,method,technology,colleague
small = klein: human,creature,thing,vehicle,furniture,device,building,dwelling,room,picture,fruit,dish,plant,mistake
big/bigger = groß größer: creature,beast,thing,vehicle,furniture,building,dwelling,room,fruit,dish,plant,organisation
young = jung jünger: human,creature
beautiful = schön: clothing,picture,song,building,dwelling,room,outdoors,plant,vessel,woman,girl,town,vehicle
good/better = gut besser: text,dish,food,drink,song,show,idea,friend,colleague,result,teacher,doctor,restaurant,hotel
happy/happier = glücklich: human
sad/sadder = traurig: human,song,story,text
tired = müde: human,pet
friendly/friendlier = freundlich: human
expensive = teuer/teur: thing,vehicle,furniture,device,dwelling,restaurant,book,medicine,journey
cheap = billig: thing,vehicle,furniture,device,hotel,restaurant,flight
heavy/heavier = schwer: tool,furniture,suitcase,book,device,backpack
red = rot -: clothing,tool,vehicle,flower,rose,apple,ball,door
blue = blau -: clothing,tool,vehicle,vessel,ball,door
green = grün -: clothing,tool,vehicle,vessel,door,meadow
black = schwarz -: clothing,tool,vehicle,creature,device
white = weiß -: clothing,vessel,vehicle,creature,house,rose
yellow = gelb -: clothing,vehicle,tulip,rose,bag
brown = braun -: clothing,creature,furniture,bear
warm = warm wärmer: clothing,dish,drink,room,blanket
clean = sauber: room,clothing,vessel,surface,dwelling
dirty/dirtier = schmutzig: room,clothing,vessel,vehicle,dog,window,shoe
broken = kaputt -: device,vehicle,tool,toy,vessel,chair,door,window,engine
empty = leer -: vessel,room,building,suitcase,outdoors,bottle,fridge
dark = dunkel/dunkl: room,forest,cave,cellar,street
bright = hell: room,lamp,kitchen,star
quiet/quieter = ruhig: room,street,village,suburb,beach,hotel,human
tall/taller = groß größer: human
important = wichtig: letter,message,email,report,paper,idea,event,organisation,result,discovery,minister,guest
interesting = interessant: text,show,idea,event,building,town,person,theory,discovery
boring = langweilig: text,show,event,speech
funny/funnier = lustig: text,show,story,human,creature
long = lang länger: text,journey,event,street,novel,river,speech,song
short = kurz kürzer: text,event,film,song,speech
difficult = schwierig: idea,event,text,decision
simple = einfach: task,rule,question,solution,method,text,device
poor = arm ärmer: human,village
rich = reich: human
hungry/hungrier = hungrig: human,creature,beast
lazy/lazier = faul: human,pet
brave = mutig: human,firefighter
clever/cleverer = klug klüger: human,creature
curious = neugierig: human,creature
polite = höflich: human
strange = seltsam: text,idea,picture,neighbour,guest
round = rund -: table,window,carpet
[food]
fresh = frisch: fruit,foodstuff,dish
delicious = lecker: dish,fruit,foodstuff
sweet = süß: fruit,dish,drink,apple
hot/hotter = heiß: dish,drink,soup
cold = kalt kälter: drink,dish,room
ripe = reif: fruit
sour/more sour = sauer/saur: fruit
salty/saltier = salzig: soup,sausage,biscuit
bitter = bitter -: chocolate,coffee,medicine,tea
[school]
correct = richtig -: answer,solution,sentence,result
wrong = falsch -: answer,solution,sentence
hard-working = fleißig: pupil,student,person
strict = streng: teacher,professor,coach,boss,relative
gifted = begabt -: pupil,student,musician,singer
[city]
modern = modern: building,dwelling,device,stadium,furniture,software
famous = berühmt: person,building,picture,text,show,song,opera
narrow/narrower = schmal schmaler: street,bridge,door
wide = breit: street,river,bridge,square
noisy/noisier = laut: street,hotel,machine,child,neighbour,vehicle
historic = historisch -: building,bridge
comfortable = bequem: seat,clothing,vehicle,hotel
[nature]
wild = wild: creature,beast,horse
dangerous = gefährlich: beast,street,snake,medicine,virus,illness,experiment
high/higher = hoch/hoh höher: mountain,tree,quantity
deep = tief: lake,river,sea,valley,cave
rare = selten: plant,beast,animal,allergy,inflammation
tame = zahm: animal
[health]
sick = krank kränker: human,creature
healthy/healthier = gesund gesünder: human,creature,fruit
strong = stark stärker: human,beast,medicine
nervous = nervös: human
effective = wirksam: medicine,vaccine,method
[work]
reliable = zuverlässig: person,device,vehicle,supplier
experienced = erfahren: worker,engineer,lawyer,surgeon,expert,pilot
urgent = dringend: message,appointment,meeting,email
successful = erfolgreich: person,organisation,project,team,novel
patient = geduldig: human
[travel]
fast = schnell: vehicle,transport,computer,horse
slow = langsam: transport,computer
full = voll -: transport,suitcase,vessel
crowded = überfüllt -: transport,beach,station
[sport]
exciting = spannend: event,text,film,game,journey
unbeaten = ungeschlagen -: team,player
[culture]
talented = talentiert -: singer,actress,actor,musician,dancer,painter
valuable = wertvoll: picture,book,fossil,violin
cheerful = fröhlich: song,melody,human
classical = klassisch -: song,opera,concert
[politics]
political = politisch -: decision,crisis,conflict,debate,speech,reform
international = international -: conference,agreement,organisation,conflict,crisis
controversial = umstritten: law,reform,decision,politician,proposal,project,minister
foreign = ausländisch -: minister,journalist,company,investor
independent = unabhängig: expert,judge,court,journalist,commission
strict = streng: law,rule,sanction,judge
peaceful = friedlich: demonstration,solution
[economy]
economic = wirtschaftlich -: crisis,reform,goal,problem
profitable = profitabel/profitabl -: company,start-up,project
low/lower = niedrig: quantity
rising = steigend -: quantity
global = global -: crisis,company,problem
[science]
scientific = wissenschaftlich -: study,article,method,theory,result,conference
unknown = unbekannt -: substance,method,person,planet
tiny/tinier = winzig: animal,virus,cell,molecule,bacterium,star
surprising = überraschend: result,discovery,decision
distant = fern: planet,star
careful = sorgfältig: study,experiment,examination
[technology]
digital = digital -: camera,file,method
secure = sicher: password,database,software,method
automatic = automatisch -: door,camera,machine
outdated = veraltet -: software,computer,law
powerful = leistungsfähig: computer,engine,robot,camera
"""

# First names: women, men. Family names stand behind Ms/Frau and Mr/Herr. They are the same in both languages.
WOMEN = """
Anna Maria Julia Laura Lisa Sarah Emma Lena Sophie Clara Nina Eva Katrin Martina Petra Johanna Heike Ingrid Frieda
Svenja
"""
MEN = """
Peter Paul Max Thomas Lukas Martin David Jonas Felix Michael Stefan Jan Karl Oliver Simon Markus Jürgen Uwe Anton
Matthias
"""
FAMILIES = """
Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf Schröder
Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Krause Lehmann Köhler Jung Hahn Vogel
"""

# `English=German` where they differ; a gender (or p) in front of a German name gives it an article (die Schweiz).
CITIES = """
Berlin Hamburg Munich=München Vienna=Wien Paris London Frankfurt Cologne=Köln Zurich=Zürich Rome=Rom Stuttgart
Dresden Leipzig Prague=Prag Bremen Geneva=Genf Madrid Nuremberg=Nürnberg Hanover=Hannover Brussels=Brüssel Salzburg
Warsaw=Warschau Graz Freiburg Venice=Venedig Lisbon=Lissabon Athens=Athen Copenhagen=Kopenhagen Basel Moscow=Moskau
Milan=Mailand Budapest Florence=Florenz Naples=Neapel Heidelberg Kiel Rostock Innsbruck Trier Erfurt
"""
COUNTRIES = """
Germany=Deutschland; France=Frankreich; Italy=Italien; Spain=Spanien; Austria=Österreich; Switzerland=f Schweiz
England; Poland=Polen; Turkey=f Türkei; Japan; China; Greece=Griechenland; Norway=Norwegen; India=Indien
Sweden=Schweden; Brazil=Brasilien; Canada=Kanada; Hungary=Ungarn; the Netherlands=p Niederlande; Portugal
Egypt=Ägypten; Denmark=Dänemark; Slovakia=f Slowakei; Mexico=Mexiko; Ukraine=f Ukraine; Australia=Australien
"""

# `english = german`. Flags of the verbs (`verbs.py`) say which manner fits: q or v.
MANNER_Q = "quickly = schnell; slowly = langsam; carefully = vorsichtig; hastily = hastig"
MANNER_V = """
loudly = laut; quietly = leise; excitedly = aufgeregt; angrily = wütend; politely = höflich; cheerfully = fröhlich
"""
FREQUENCY = """
often = oft; always = immer; sometimes = manchmal; usually = meistens; never = nie; rarely = selten
regularly = regelmäßig
"""
SENTENCE_ADVERBS = """
unfortunately = leider; perhaps = vielleicht; fortunately = zum Glück; probably = wahrscheinlich
of course = natürlich; surprisingly = überraschenderweise; apparently = anscheinend
"""

WEEKDAYS = """
Monday=Montag Tuesday=Dienstag Wednesday=Mittwoch Thursday=Donnerstag Friday=Freitag Saturday=Samstag Sunday=Sonntag
"""
MONTHS = """
January=Januar February=Februar March=März April May=Mai June=Juni July=Juli August September October=Oktober
November December=Dezember
"""
SEASONS = "summer=Sommer winter=Winter autumn=Herbst spring=Frühling"
UNITS = "days = Tage; weeks = Wochen; years = Jahre; months = Monate"

# Times that go with one tense: the event is over, is going on, is a habit, is still to come.
TIMES_PAST = """
yesterday = gestern; last week = letzte Woche; last year = letztes Jahr; yesterday evening = gestern Abend
the day before yesterday = vorgestern; last month = letzten Monat; last night = letzte Nacht; recently = neulich
"""
TIMES_NOW = "now = jetzt; at the moment = im Moment; today = heute; this week = diese Woche"
TIMES_HABIT = """
every day = jeden Tag; every week = jede Woche; every evening = jeden Abend; in the morning = am Morgen
every year = jedes Jahr; at the weekend = am Wochenende; every morning = jeden Morgen
once a week = einmal pro Woche; twice a year = zweimal im Jahr
"""
TIMES_FUTURE = """
tomorrow = morgen; next week = nächste Woche; next year = nächstes Jahr; soon = bald
tomorrow evening = morgen Abend; the day after tomorrow = übermorgen; next month = nächsten Monat; later = später
"""

# Clause to clause, and thing to thing (the German prepositions with the dative), the frequent ones first.
SUBORDINATORS = """
because = weil; when = wenn; if = wenn; although = obwohl; while = während; before = bevor; after = nachdem
as soon as = sobald
"""
RELATIONS = "on = auf; under = unter; next to = neben; behind = hinter; in front of = vor"
WEATHER = "cold = kalt; hot = heiß; dark = dunkel; windy = windig; foggy = neblig"

ENGLISH_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
GERMAN_NUMBERS = """
null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn
achtzehn neunzehn
"""
GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
